import { createHash } from 'node:crypto';
import type { Database } from 'better-sqlite3';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { fillPlaceholders, maximumLabelLength } from '../../domain/activity.ts';
import { newId } from '../../domain/ids.ts';
import { maximumMessageLength } from '../../domain/notification.ts';
import { shownName } from '../../domain/player.ts';
import { shortened } from '../../domain/text.ts';
import { GantryError } from '../../errors.ts';
import { streamOf } from '../../events/stream.ts';
import { webhookEventOfTrigger } from '../../events/webhook-events.ts';
import { balanceKey } from '../../rules/balance-key.ts';
import { costOf, preparedCall } from '../../rules/chain-actions.ts';
import { dueActions, type Facts, whyNot } from '../../rules/evaluate.ts';
import { type Action, type ChainAction, isChainAction, type Rule, ruleList } from '../../rules/rule.ts';
import type {
  ChainFacts,
  Owner,
  RuleSet,
  RuleStore,
  TriggerAnswer,
  TriggerInput,
  Verdict,
} from '../store.ts';
import type { SqliteActions } from './actions.ts';
import type { SqliteActivities } from './activities.ts';
import type { GroupCommit, Transaction } from './group-commit.ts';
import type { SqliteNotifications } from './notifications.ts';
import type { SqlitePlayers } from './players.ts';
import type { SqliteScores } from './scores.ts';
import type { SqliteStates } from './states.ts';
import type { SqliteWebhooks } from './webhooks.ts';

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
  actions: SqliteActions;
  webhooks: SqliteWebhooks;
}

const actionTypes = z.array(z.string());

export class SqliteRules implements RuleStore {
  readonly #group: GroupCommit;
  readonly #parts: Parts;
  readonly #clock: () => number;
  readonly #statements;
  /** Parsed rules by game, with the text they were parsed from: that is compared, and parsing it takes long. */
  readonly #parsed = new LRUCache<string, { text: string; rules: Rule[] }>({ max: 1_000 });

  constructor(db: Database, group: GroupCommit, parts: Parts, clock: () => number) {
    this.#group = group;
    this.#clock = clock;
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
      grant: db.prepare<[string, string, string], { granted: number }>(
        'SELECT granted FROM grants WHERE game_id = ? AND wallet = ? AND achievement = ?',
      ),
      insertGrant: db.prepare(
        'INSERT INTO grants (game_id, wallet, achievement, action_id, granted, at) VALUES (?, ?, ?, ?, ?, ?)',
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

  trigger(owner: Owner, input: TriggerInput, chain: ChainFacts = noChain): Promise<TriggerAnswer> {
    return this.#group.write((tx) => {
      const earlier = this.#earlierAnswer(owner, input);
      if (earlier) return earlier;
      const facts = this.#facts(owner, input, chain);
      const triggerUuid = newId();
      const due = this.#read(owner.gameId)
        .rules.filter((rule) => rule.trigger === input.trigger)
        .flatMap((rule) => this.#dueWithinLimit(tx, owner, rule, facts))
        .filter((action) => this.#carryOut(tx, owner, action, { ...input, triggerUuid }, facts, chain));
      const answer = { triggerUuid, actions: due.map((action) => action.type) };
      this.#statements.insertTrigger.run({
        id: triggerUuid,
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

  async explain(owner: Owner, input: TriggerInput, chain: ChainFacts, given?: Rule[]): Promise<Verdict[]> {
    const facts = this.#facts(owner, input, chain);
    const now = this.#clock();
    const rules = given ?? this.#read(owner.gameId).rules;
    return rules.flatMap((rule, at) =>
      rule.trigger === input.trigger
        ? rule.actions.map((action, index) => {
            const why =
              whyNot(action, facts) ??
              (this.#limitReached(now, owner, rule) ? 'limitExecutions is reached' : null) ??
              this.#refusal(now, owner, action, input, facts, chain);
            return { rule: at, action: index, type: action.type, fires: why === null, why };
          })
        : [],
    );
  }

  #read(gameId: string): RuleSet {
    const row = this.#statements.get.get(gameId);
    if (!row) return { version: 0, rules: [] };
    const known = this.#parsed.get(gameId);
    if (known?.text === row.rules) return { version: row.rules_version, rules: known.rules };
    const rules = ruleList.parse(JSON.parse(row.rules));
    this.#parsed.set(gameId, { text: row.rules, rules });
    return { version: row.rules_version, rules };
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

  #facts(owner: Owner, { value }: TriggerInput, { balances }: ChainFacts): Facts {
    return {
      value,
      score: (nonce) => this.#parts.scores.scoreWithin(owner, nonce),
      state: (label) => this.#parts.states.stateWithin(owner, label),
      owned: (condition) => {
        if (condition.achievement !== undefined) {
          return BigInt(this.#grant(owner, condition.achievement)?.granted ?? 0);
        }
        const balance = balances[balanceKey(condition)];
        return balance === undefined ? undefined : BigInt(balance);
      },
    };
  }

  /** The rule's due actions, counted against its limit; none, and nothing counted, when the limit is reached. */
  #dueWithinLimit(tx: Transaction, { gameId, wallet }: Owner, rule: Rule, facts: Facts): Action[] {
    const due = dueActions(rule, facts);
    const limit = rule.limitExecutions;
    if (!limit || due.length === 0) return due;
    if (this.#limitReached(tx.now, { gameId, wallet }, rule)) return [];
    this.#statements.insertExecution.run(gameId, keyOf(rule), wallet, tx.now);
    return due;
  }

  #limitReached(now: number, { gameId, wallet }: Owner, rule: Rule): boolean {
    const limit = rule.limitExecutions;
    if (!limit) return false;
    const since = limit.resetInterval === undefined ? -1 : now - limit.resetInterval;
    return (this.#statements.executions.get(gameId, keyOf(rule), wallet, since) ?? 0) >= limit.amount;
  }

  #grant({ gameId, wallet }: Owner, achievement: string) {
    return this.#statements.grant.get(gameId, wallet, achievement);
  }

  /** Why an action whose conditions hold would not be carried out, or would fail at once. */
  #refusal(
    now: number,
    owner: Owner,
    action: Action,
    input: TriggerInput,
    facts: Facts,
    chain: ChainFacts,
  ): string | null {
    if (action.type === 'GrantAchievementToken' && this.#grant(owner, action.achievement)) {
      return 'the player has this achievement, or is about to get it';
    }
    if (!isChainAction(action)) return null;
    if (chain.signers[action.signer] === undefined) return unknownSigner(action);
    const call = preparedCall(action, { ...input, wallet: owner.wallet }, facts);
    if ('error' in call) return call.error;
    return this.#parts.actions.spending.refusal(now, owner, costOf(action, call));
  }

  /** False: there was nothing to do, because the player has the achievement. */
  #carryOut(
    tx: Transaction,
    owner: Owner,
    action: Action,
    input: TriggerInput & { triggerUuid: string },
    facts: Facts,
    chain: ChainFacts,
  ): boolean {
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
        return true;
      }
      case 'SendCustomActivity':
        this.#parts.activities.recordWithin(tx, owner, {
          label: shortened(fillPlaceholders(action.label, sent), maximumLabelLength),
          eventId: action.eventId,
        });
        return true;
      case 'UpdateScore': {
        const amount = action.amount ?? (action.ratio ?? 0) * (input.value ?? 0);
        const base = action.mode === 'add' ? (this.#parts.scores.scoreWithin(owner, action.nonce) ?? 0) : 0;
        this.#parts.scores.setWithin(tx, owner, base + amount, action.nonce);
        return true;
      }
      case 'PostWindowMessage': {
        const message = fillPlaceholders(action.message, { ...sent, wallet: owner.wallet });
        tx.emit({
          stream: streamOf.player(owner.gameId, owner.wallet),
          name: 'window-messages created',
          record: {
            _id: newId(),
            gameId: owner.gameId,
            normalizedAddress: owner.wallet,
            message: shortened(message, maximumMessageLength) || '…',
            createdAt: tx.now,
          },
          audience: { kind: 'players', gameId: owner.gameId, wallets: [owner.wallet] },
        });
        return true;
      }
      case 'Webhook': {
        this.#tellWebhooks(tx, owner, action, input);
        return true;
      }
      case 'GrantAchievementToken': {
        if (this.#grant(owner, action.achievement)) return false;
        const actionId = isChainAction(action) ? newId() : '';
        const granted = isChainAction(action) ? 0 : 1;
        this.#statements.insertGrant.run(
          owner.gameId,
          owner.wallet,
          action.achievement,
          actionId,
          granted,
          tx.now,
        );
        if (isChainAction(action)) this.#enqueueCall(tx, owner, action, input, facts, chain, actionId);
        return true;
      }
      default:
        this.#enqueueCall(tx, owner, action, input, facts, chain, newId());
        return true;
    }
  }

  /** Queues a delivery for each webhook; where there is none, an action that has failed says so. */
  #tellWebhooks(
    tx: Transaction,
    { gameId, wallet }: Owner,
    { type, name }: Extract<Action, { type: 'Webhook' }>,
    { trigger, triggerUuid, value, nonce }: TriggerInput & { triggerUuid: string },
  ): void {
    const { webhooks, actions } = this.#parts;
    const told = {
      triggerUuid,
      gameId,
      normalizedAddress: wallet,
      name,
      trigger,
      value: value ?? null,
      nonce: nonce ?? null,
    };
    const event = webhookEventOfTrigger(told);
    if (webhooks.tellWithin(tx, event, { type, triggerUuid }) > 0) return;
    const payload = { type: event.type, timestamp: new Date(tx.now).toISOString(), data: told };
    const action = { kind: 'webhook', type, gameId, wallet, triggerUuid, payload };
    const { _id } = actions.enqueueWithin(tx, action);
    const error = 'the game has no enabled webhook that takes it in';
    actions.changeWithin(tx, actions.require(_id), { state: 'failed', error });
  }

  /** Writes a call of a contract to the queue; one that cannot be made, as failed. */
  #enqueueCall(
    tx: Transaction,
    owner: Owner,
    action: ChainAction,
    input: TriggerInput & { triggerUuid: string },
    facts: Facts,
    { signers }: ChainFacts,
    actionId: string,
  ): void {
    const { actions } = this.#parts;
    const signer = signers[action.signer];
    const call = preparedCall(action, { ...input, wallet: owner.wallet }, facts);
    const cost = 'error' in call ? null : costOf(action, call);
    const error =
      signer === undefined
        ? unknownSigner(action)
        : 'error' in call
          ? call.error
          : cost && actions.spending.refusal(tx.now, owner, cost);
    actions.enqueueWithin(
      tx,
      {
        kind: 'chain',
        lane: signer === undefined ? '' : `${action.chainId}:${signer}`,
        type: action.type,
        ...owner,
        triggerUuid: input.triggerUuid,
        payload: call,
      },
      actionId,
    );
    if (cost && !error) actions.spending.take(tx, owner, actionId, cost);
    if (error) actions.changeWithin(tx, actions.require(actionId), { state: 'failed', error });
  }
}

const noChain: ChainFacts = { signers: {}, balances: {} };

/** A rule is known by what it says, so that reordering the list does not mix up the counts. */
function keyOf(rule: Rule): string {
  return createHash('sha256').update(JSON.stringify(rule)).digest('hex');
}

function unknownSigner({ signer }: ChainAction): string {
  return `this server has no signer called ${signer}`;
}
