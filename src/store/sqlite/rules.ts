import { createHash } from 'node:crypto';
import type { Database } from 'better-sqlite3';
import { z } from 'zod';
import { fillPlaceholders, maximumLabelLength } from '../../domain/activity.ts';
import { newId } from '../../domain/ids.ts';
import { maximumMessageLength } from '../../domain/notification.ts';
import { shownName } from '../../domain/player.ts';
import { shortened } from '../../domain/text.ts';
import { GantryError } from '../../errors.ts';
import { dueActions, type Facts } from '../../rules/evaluate.ts';
import { type Action, type Rule, ruleList } from '../../rules/rule.ts';
import type { Owner, RuleSet, RuleStore, TriggerAnswer, TriggerInput } from '../store.ts';
import type { SqliteActivities } from './activities.ts';
import type { GroupCommit, Transaction } from './group-commit.ts';
import type { SqliteNotifications } from './notifications.ts';
import type { SqlitePlayers } from './players.ts';
import type { SqliteScores } from './scores.ts';
import type { SqliteStates } from './states.ts';

interface TriggerRow {
  id: string;
  trigger: string;
  value: number | null;
  actions: string;
}

/** The parts of the store a rule reads and acts through. */
interface Parts {
  players: SqlitePlayers;
  scores: SqliteScores;
  states: SqliteStates;
  activities: SqliteActivities;
  notifications: SqliteNotifications;
}

const actionTypes = z.array(z.string());

export class SqliteRules implements RuleStore {
  readonly #group: GroupCommit;
  readonly #parts: Parts;
  readonly #statements;

  constructor(db: Database, group: GroupCommit, parts: Parts) {
    this.#group = group;
    this.#parts = parts;
    this.#statements = {
      get: db.prepare<[string], { rules: string; rules_version: number }>(
        'SELECT rules, rules_version FROM games WHERE id = ?',
      ),
      set: db.prepare('UPDATE games SET rules = ?, rules_version = rules_version + 1 WHERE id = ?'),
      triggered: db.prepare<[string, string, string], TriggerRow>(
        'SELECT id, trigger, value, actions FROM rule_triggers WHERE game_id = ? AND wallet = ? AND nonce = ?',
      ),
      insertTrigger: db.prepare(
        `INSERT INTO rule_triggers (id, game_id, wallet, nonce, trigger, value, actions, at)
         VALUES (@id, @gameId, @wallet, @nonce, @trigger, @value, @actions, @at)`,
      ),
      executions: db
        .prepare<[string, string, string, number], number>(
          'SELECT count(*) FROM rule_executions WHERE game_id = ? AND rule_key = ? AND wallet = ? AND at > ?',
        )
        .pluck(),
      insertExecution: db.prepare(
        'INSERT INTO rule_executions (game_id, rule_key, wallet, at) VALUES (?, ?, ?, ?)',
      ),
    };
  }

  async get(gameId: string): Promise<RuleSet> {
    return this.#read(gameId);
  }

  set(gameId: string, rules: Rule[]): Promise<RuleSet> {
    return this.#group.write(() => {
      const { changes } = this.#statements.set.run(JSON.stringify(rules), gameId);
      if (changes === 0) throw new GantryError('game_unknown', 'There is no game with this id');
      return this.#read(gameId);
    });
  }

  trigger(owner: Owner, input: TriggerInput): Promise<TriggerAnswer> {
    return this.#group.write((tx) => {
      const earlier = this.#earlierAnswer(owner, input);
      if (earlier) return earlier;
      const facts = this.#facts(owner, input);
      const due = this.#read(owner.gameId)
        .rules.filter((rule) => rule.trigger === input.trigger)
        .flatMap((rule) => this.#dueWithinLimit(tx, owner, rule, facts));
      for (const action of due) this.#carryOut(tx, owner, action, input);
      const answer = { triggerUuid: newId(), actions: due.map((action) => action.type) };
      this.#statements.insertTrigger.run({
        id: answer.triggerUuid,
        ...owner,
        nonce: input.nonce ?? null,
        trigger: input.trigger,
        value: input.value ?? null,
        actions: JSON.stringify(answer.actions),
        at: tx.now,
      });
      return answer;
    });
  }

  #read(gameId: string): RuleSet {
    const row = this.#statements.get.get(gameId);
    return row
      ? { version: row.rules_version, rules: ruleList.parse(JSON.parse(row.rules)) }
      : { version: 0, rules: [] };
  }

  #earlierAnswer({ gameId, wallet }: Owner, { trigger, value, nonce }: TriggerInput): TriggerAnswer | null {
    if (nonce === undefined) return null;
    const row = this.#statements.triggered.get(gameId, wallet, nonce);
    if (!row) return null;
    if (row.trigger !== trigger || row.value !== (value ?? null)) {
      throw new GantryError('nonce_reused', 'This nonce was used before for another trigger or value');
    }
    return { triggerUuid: row.id, actions: actionTypes.parse(JSON.parse(row.actions)) };
  }

  #facts(owner: Owner, { value }: TriggerInput): Facts {
    return {
      value,
      score: (nonce) => this.#parts.scores.scoreWithin(owner, nonce),
      state: (label) => this.#parts.states.stateWithin(owner, label),
    };
  }

  /** The rule's due actions, counted against its limit; none, and nothing counted, when the limit is reached. */
  #dueWithinLimit(tx: Transaction, { gameId, wallet }: Owner, rule: Rule, facts: Facts): Action[] {
    const due = dueActions(rule, facts);
    const limit = rule.limitExecutions;
    if (!limit || due.length === 0) return due;
    // A rule is known by what it says, so that reordering the list does not mix up the counts.
    const key = createHash('sha256').update(JSON.stringify(rule)).digest('hex');
    const since = limit.resetInterval === undefined ? -1 : tx.now - limit.resetInterval;
    if ((this.#statements.executions.get(gameId, key, wallet, since) ?? 0) >= limit.amount) return [];
    this.#statements.insertExecution.run(gameId, key, wallet, tx.now);
    return due;
  }

  #carryOut(tx: Transaction, owner: Owner, action: Action, input: TriggerInput): void {
    const sent = { value: String(input.value ?? ''), nonce: input.nonce ?? '' };
    switch (action.type) {
      case 'Notify': {
        const player = this.#parts.players.get(owner.wallet);
        const message = fillPlaceholders(action.message, {
          ...sent,
          username: shownName(player),
          wallet: owner.wallet,
        });
        this.#parts.notifications.sendWithin(tx, owner, {
          // A template may be nothing but a value that was left out, and a notification is never empty.
          message: shortened(message, maximumMessageLength) || '…',
          type: action.notificationType,
        });
        return;
      }
      case 'SendCustomActivity':
        this.#parts.activities.recordWithin(tx, owner, {
          label: shortened(fillPlaceholders(action.label, sent), maximumLabelLength),
          eventId: action.eventId,
        });
        return;
      case 'UpdateScore': {
        const amount = action.amount ?? (action.ratio ?? 0) * (input.value ?? 0);
        const base = action.mode === 'add' ? (this.#parts.scores.scoreWithin(owner, action.nonce) ?? 0) : 0;
        this.#parts.scores.setWithin(tx, owner, base + amount, action.nonce);
      }
    }
  }
}
