import type { Database } from 'better-sqlite3';
import { type ActionRecord, type ActionState, actionState, maximumErrorLength } from '../../domain/action.ts';
import { newId } from '../../domain/ids.ts';
import type { Page, Paged } from '../../domain/paging.ts';
import { shortened } from '../../domain/text.ts';
import { deliveryLifetimeMs } from '../../domain/webhook.ts';
import { GantryError } from '../../errors.ts';
import { streamOf } from '../../events/stream.ts';
import type { ActionFilter, ActionStore, NewAction, QueuedAction, QueueFigures } from '../store.ts';
import type { SqliteActivities } from './activities.ts';
import type { SqliteGames } from './games.ts';
import type { GroupCommit, Transaction } from './group-commit.ts';
import { Spending } from './spending.ts';

export interface ActionRow {
  id: string;
  kind: string;
  lane: string;
  type: string;
  game_id: string;
  wallet: string;
  trigger_id: string;
  payload: string;
  state: string;
  attempts: number;
  due_at: number;
  give_up_at: number;
  claimed_by: string | null;
  claimed_until: number;
  error: string | null;
  transaction_hash: string | null;
  created_at: number;
  updated_at: number;
}

/** What changes of an action; what is not given stays. */
export interface ActionChange {
  state?: ActionState;
  error?: string | null;
  transactionHash?: string | undefined;
  dueAt?: number;
}

interface Filter {
  gameId: string | null;
  wallet: string | null;
  kind: string | null;
  state: string | null;
}

const matching = `(@gameId IS NULL OR game_id = @gameId) AND (@wallet IS NULL OR wallet = @wallet)
  AND (@kind IS NULL OR kind = @kind) AND (@state IS NULL OR state = @state)`;
const open = `state IN ('queued', 'submitted')`;
const trimmedAtOnce = 500;

/** The durable queue on SQLite; the write lock is what keeps two processes from claiming one action. */
export class SqliteActions implements ActionStore {
  readonly spending: Spending;
  readonly #group: GroupCommit;
  readonly #activities: SqliteActivities;
  readonly #statements;

  constructor(
    db: Database,
    group: GroupCommit,
    { activities, games }: { activities: SqliteActivities; games: SqliteGames },
  ) {
    this.#group = group;
    this.#activities = activities;
    this.spending = new Spending(db, games);
    this.#statements = {
      insert: db.prepare(
        `INSERT INTO actions (id, kind, lane, type, game_id, wallet, trigger_id, payload, state, attempts,
           due_at, give_up_at, claimed_until, created_at, updated_at)
         VALUES (@id, @kind, @lane, @type, @gameId, @wallet, @triggerId, @payload, 'queued', 0, @dueAt, @giveUpAt, 0,
           @now, @now)`,
      ),
      find: db.prepare<[string], ActionRow>('SELECT * FROM actions WHERE id = ?'),
      claim: db.prepare(
        'UPDATE actions SET claimed_by = ?, claimed_until = ?, attempts = attempts + 1 WHERE id = ?',
      ),
      renew: db.prepare(
        `UPDATE actions SET claimed_until = ? WHERE claimed_by = ? AND ${open}
         AND id IN (SELECT value FROM json_each(?))`,
      ),
      change: db.prepare(
        `UPDATE actions SET state = @state, error = @error, transaction_hash = @transactionHash, due_at = @dueAt,
           give_up_at = @giveUpAt, attempts = @attempts, claimed_by = @claimedBy, claimed_until = @claimedUntil, updated_at = @now
         WHERE id = @id`,
      ),
      list: db.prepare<[Filter & Page], ActionRow>(
        `SELECT * FROM actions WHERE ${matching} ORDER BY created_at DESC, id DESC LIMIT @limit OFFSET @skip`,
      ),
      count: db.prepare<[Filter], number>(`SELECT count(*) FROM actions WHERE ${matching}`).pluck(),
      // Counts entries of the index actions_by_state, and reads no row.
      depth: db.prepare<[], number>(`SELECT count(*) FROM actions WHERE ${open}`).pluck(),
      figures: db.prepare<[], QueueFigures>(
        `SELECT kind, count(*) AS depth, min(created_at) AS oldestAt FROM actions WHERE ${open} GROUP BY kind`,
      ),
      trim: db.prepare(
        `DELETE FROM actions WHERE id IN (SELECT id FROM actions
         WHERE state IN ('confirmed', 'failed', 'cancelled') AND updated_at < ? LIMIT ${trimmedAtOnce})`,
      ),
      trimTransactions: db.prepare(
        `DELETE FROM transactions WHERE settled = 1 AND hash IN (
           SELECT hash FROM transactions WHERE settled = 1 AND signed_at < ? LIMIT ${trimmedAtOnce})`,
      ),
      grantDone: db.prepare('UPDATE grants SET granted = 1 WHERE action_id = ?'),
      grantOver: db.prepare('DELETE FROM grants WHERE action_id = ? AND granted = 0'),
    };
  }

  enqueue(actions: readonly NewAction[]): Promise<QueuedAction[]> {
    return this.#group.write((tx) => actions.map((action) => this.enqueueWithin(tx, action)));
  }

  /** Inside the transaction of what causes the action. */
  enqueueWithin(tx: Transaction, action: NewAction, actionId = newId()): QueuedAction {
    this.#statements.insert.run({
      id: actionId,
      kind: action.kind,
      lane: action.lane ?? '',
      type: action.type,
      gameId: action.gameId,
      wallet: action.wallet ?? '',
      triggerId: action.triggerUuid ?? '',
      payload: JSON.stringify(action.payload),
      dueAt: action.dueAt ?? tx.now,
      giveUpAt: action.kind === 'webhook' ? tx.now + deliveryLifetimeMs : 0,
      now: tx.now,
    });
    const row = this.require(actionId);
    tell(tx, row);
    return toAction(row);
  }

  renew(node: string, actionIds: readonly string[], leaseMs: number): Promise<void> {
    return this.#group.write(({ now }) => {
      this.#statements.renew.run(now + leaseMs, node, JSON.stringify(actionIds));
    });
  }

  async find(actionId: string): Promise<QueuedAction | null> {
    const row = this.#statements.find.get(actionId);
    return row ? toAction(row) : null;
  }

  async list(filter: ActionFilter, page: Page): Promise<Paged<QueuedAction>> {
    const { gameId = null, wallet = null, kind = null, state = null } = filter;
    const all: Filter = { gameId, wallet, kind, state };
    return {
      total: this.#statements.count.get(all) ?? 0,
      rows: this.#statements.list.all({ ...all, ...page }).map(toAction),
    };
  }

  cancel(actionId: string): Promise<QueuedAction> {
    return this.#group.write((tx) => {
      const row = this.require(actionId);
      if (row.state !== 'queued' || row.claimed_until > tx.now) {
        throw new GantryError(
          'action_not_cancellable',
          row.state === 'queued'
            ? 'This action is being sent right now'
            : `This action is ${row.state}: only what is queued can be cancelled`,
        );
      }
      return toAction(this.changeWithin(tx, row, { state: 'cancelled' }));
    });
  }

  requeue(actionId: string): Promise<QueuedAction> {
    return this.#group.write((tx) => {
      const row = this.require(actionId);
      if (row.state !== 'failed' && row.state !== 'cancelled' && row.state !== 'queued') {
        throw new GantryError(
          'action_not_retryable',
          `This action is ${row.state}: only what has failed, was cancelled or waits can be tried again`,
        );
      }
      if (row.kind === 'webhook' && row.lane === '') {
        throw new GantryError('action_not_retryable', 'There was no webhook for it; trigger the rule again');
      }
      if (row.state !== 'queued') {
        this.spending.takeAgain(tx, { gameId: row.game_id, wallet: row.wallet }, row.id);
      }
      return toAction(this.requeueWithin(tx, row));
    });
  }

  /**
   * Inside a transaction: whatever became of it, it is to be done, at once, its attempts and its time counted
   * anew. One that somebody is doing right now is left to them, so that no two do it at once.
   */
  requeueWithin(tx: Transaction, row: ActionRow): ActionRow {
    if (row.claimed_until > tx.now) return row;
    const give_up_at = row.give_up_at === 0 ? 0 : tx.now + deliveryLifetimeMs;
    return this.changeWithin(tx, { ...row, attempts: 0, give_up_at }, { state: 'queued', dueAt: tx.now });
  }

  async depth(): Promise<number> {
    return this.#statements.depth.get() ?? 0;
  }

  async figures(): Promise<QueueFigures[]> {
    return this.#statements.figures.all();
  }

  trim(olderThan: number): Promise<boolean> {
    return this.#group.write(() => {
      this.spending.trim(olderThan);
      const trims = [this.#statements.trimTransactions, this.#statements.trim];
      return trims.map((trim) => trim.run(olderThan).changes).includes(trimmedAtOnce);
    });
  }

  /** @throws GantryError `action_unknown` */
  require(actionId: string): ActionRow {
    const row = this.#statements.find.get(actionId);
    if (!row) throw new GantryError('action_unknown', 'There is no action with this id');
    return row;
  }

  /** Inside a transaction: the action, whatever its state; undefined when it was erased with its player. */
  rowOf(actionId: string): ActionRow | undefined {
    return this.#statements.find.get(actionId);
  }

  /** Inside a transaction: changes an action, lets go of its claim, and tells the player's launchers. */
  changeWithin(tx: Transaction, row: ActionRow, change: ActionChange): ActionRow {
    const changed: ActionRow = {
      ...row,
      state: change.state ?? row.state,
      error:
        change.error === undefined ? row.error : change.error && shortened(change.error, maximumErrorLength),
      transaction_hash: change.transactionHash ?? row.transaction_hash,
      due_at: change.dueAt ?? row.due_at,
      updated_at: tx.now,
      claimed_by: null,
      claimed_until: 0,
    };
    this.#statements.change.run({
      id: row.id,
      state: changed.state,
      error: changed.error,
      transactionHash: changed.transaction_hash,
      dueAt: changed.due_at,
      giveUpAt: changed.give_up_at,
      attempts: changed.attempts,
      claimedBy: changed.claimed_by,
      claimedUntil: changed.claimed_until,
      now: tx.now,
    });
    tell(tx, changed);
    if (changed.state !== row.state) this.#followUp(tx, changed);
    return changed;
  }

  /** What else is so once an action is over. */
  #followUp(tx: Transaction, row: ActionRow): void {
    if (row.state === 'confirmed') {
      this.#statements.grantDone.run(row.id);
      if (row.transaction_hash !== null) {
        this.#activities.recordWithin(
          tx,
          { gameId: row.game_id, wallet: row.wallet },
          { label: `${row.type} ${row.transaction_hash}`, eventId: row.transaction_hash },
          'on-chain',
        );
      }
    } else if (row.state === 'failed' || row.state === 'cancelled') {
      this.#statements.grantOver.run(row.id);
      // A transaction that was sent has cost its fee, whatever came of it.
      if (row.transaction_hash === null) this.spending.giveBack(row.id);
    }
  }

  /** Inside a transaction: an action that is not over and is claimed by this process. */
  heldRow(tx: Transaction, node: string, actionId: string): ActionRow | null {
    const row = this.#statements.find.get(actionId);
    const isOpen = row?.state === 'queued' || row?.state === 'submitted';
    return row && isOpen && row.claimed_by === node && row.claimed_until > tx.now ? row : null;
  }

  /** Inside a transaction: takes an action for `leaseMs`, and counts an attempt. */
  claimWithin(tx: Transaction, node: string, row: ActionRow, leaseMs: number): QueuedAction {
    this.#statements.claim.run(node, tx.now + leaseMs, row.id);
    return { ...toAction(row), attempts: row.attempts + 1 };
  }
}

function tell(tx: Transaction, row: ActionRow): void {
  // That a webhook is told of an event is nothing the player's launcher waits for, save where a rule wanted it.
  if (row.wallet === '' || (row.kind === 'webhook' && row.type !== 'Webhook')) return;
  const { gameId, normalizedAddress: wallet } = toRecord(row);
  tx.emit({
    stream: streamOf.player(gameId, wallet),
    name: 'rule-actions patched',
    record: toRecord(row),
    audience: { kind: 'players', gameId, wallets: [wallet] },
  });
}

function toRecord(row: ActionRow): ActionRecord {
  return {
    _id: row.id,
    triggerUuid: row.trigger_id,
    gameId: row.game_id,
    normalizedAddress: row.wallet,
    type: row.type,
    state: actionState.parse(row.state),
    error: row.error,
    transactionHash: row.transaction_hash,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

export function toAction(row: ActionRow): QueuedAction {
  return {
    ...toRecord(row),
    kind: row.kind,
    lane: row.lane,
    payload: JSON.parse(row.payload),
    attempts: row.attempts,
    dueAt: row.due_at,
  };
}
