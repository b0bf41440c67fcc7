import type { Database } from 'better-sqlite3';
import type { ChainLaneStore, QueuedAction, SignedTransaction } from '../store.ts';
import { type ActionRow, type SqliteActions, toAction } from './actions.ts';
import type { GroupCommit, Transaction } from './group-commit.ts';

interface LaneRow {
  node: string;
  leased_until: number;
  next_nonce: number | null;
}

interface TransactionRow {
  hash: string;
  nonce: number;
  action_id: string;
  raw: string;
  max_fee: string;
  priority_fee: string;
  signed_at: number;
}

/** As the index `actions_due` has it: the states too, or SQLite would not see that the index serves. */
const open = `kind = 'chain' AND state IN ('queued', 'submitted')`;

/** Signers' nonces and signed transactions on SQLite. */
export class SqliteChainLanes implements ChainLaneStore {
  readonly #group: GroupCommit;
  readonly #actions: SqliteActions;
  readonly #clock: () => number;
  readonly #statements;

  constructor(db: Database, group: GroupCommit, actions: SqliteActions, clock: () => number) {
    this.#group = group;
    this.#actions = actions;
    this.#clock = clock;
    this.#statements = {
      find: db.prepare<[string], LaneRow>('SELECT * FROM lanes WHERE lane = ?'),
      lease: db.prepare(
        `INSERT INTO lanes (lane, node, leased_until) VALUES (@lane, @node, @until)
         ON CONFLICT DO UPDATE SET node = @node, leased_until = @until`,
      ),
      release: db.prepare('UPDATE lanes SET leased_until = 0 WHERE lane = ? AND node = ?'),
      setNonce: db.prepare('UPDATE lanes SET next_nonce = ? WHERE lane = ?'),
      // From each lane straight to the next one: DISTINCT would go over everything that is queued.
      // Also what was signed for an action that was erased with its player: the nonce must be used up.
      busyLanes: db
        .prepare<[], string>(
          `WITH RECURSIVE busy (lane) AS (
             SELECT min(lane) FROM actions WHERE ${open} AND lane > ''
             UNION ALL
             SELECT (SELECT min(a.lane) FROM actions AS a WHERE ${open} AND a.lane > busy.lane)
             FROM busy WHERE busy.lane IS NOT NULL)
           SELECT lane FROM busy WHERE lane IS NOT NULL
           UNION SELECT DISTINCT lane FROM transactions WHERE settled = 0`,
        )
        .pluck(),
      due: db.prepare<[string, number, number], ActionRow>(
        `SELECT * FROM actions WHERE ${open} AND lane = ? AND state = 'queued' AND due_at <= ?
         ORDER BY due_at, id LIMIT ?`,
      ),
      insert: db.prepare(
        `INSERT INTO transactions (hash, lane, nonce, action_id, raw, max_fee, priority_fee, signed_at)
         VALUES (@hash, @lane, @nonce, @actionId, @raw, @maxFee, @priorityFee, @signedAt)`,
      ),
      open: db.prepare<[string], TransactionRow>(
        'SELECT * FROM transactions WHERE lane = ? AND settled = 0 ORDER BY nonce, signed_at',
      ),
      ofNonce: db.prepare<[string, number], TransactionRow>(
        'SELECT * FROM transactions WHERE lane = ? AND settled = 0 AND nonce = ?',
      ),
      settle: db.prepare(
        `UPDATE transactions SET settled = 1, raw = '' WHERE lane = ? AND settled = 0 AND nonce = ?`,
      ),
    };
  }

  lease(lane: string, node: string, leaseMs: number): Promise<boolean> {
    return this.#group.write(({ now }) => {
      const row = this.#statements.find.get(lane);
      if (row && row.node !== node && row.leased_until > now) return false;
      this.#statements.lease.run({ lane, node, until: now + leaseMs });
      return true;
    });
  }

  release(lane: string, node: string): Promise<void> {
    return this.#group.write(() => {
      this.#statements.release.run(lane, node);
    });
  }

  async busyLanes(): Promise<string[]> {
    return this.#statements.busyLanes.all();
  }

  async due(lane: string, limit: number): Promise<QueuedAction[]> {
    return this.#statements.due.all(lane, this.#clock(), limit).map(toAction);
  }

  async nextNonce(lane: string): Promise<number | null> {
    return this.#statements.find.get(lane)?.next_nonce ?? null;
  }

  raiseNonce(lane: string, node: string, nonce: number): Promise<boolean> {
    return this.#asLeased(lane, node, (_tx, { next_nonce }) => {
      if (next_nonce === null || nonce > next_nonce) this.#statements.setNonce.run(nonce, lane);
      return true;
    });
  }

  signed(lane: string, node: string, transaction: SignedTransaction): Promise<boolean> {
    return this.#asLeased(lane, node, (tx, { next_nonce }) => {
      const { nonce, actionId, hash } = transaction;
      if (nonce !== next_nonce) return false;
      if (actionId !== '') {
        const row = this.#actions.rowOf(actionId);
        if (row?.state !== 'queued') return false;
        this.#actions.changeWithin(
          tx,
          { ...row, attempts: row.attempts + 1 },
          { state: 'submitted', transactionHash: hash, error: null },
        );
      }
      this.#statements.insert.run({ ...transaction, lane });
      this.#statements.setNonce.run(nonce + 1, lane);
      return true;
    });
  }

  replaced(lane: string, node: string, transaction: SignedTransaction): Promise<boolean> {
    return this.#asLeased(lane, node, (tx) => {
      const { nonce, actionId, hash } = transaction;
      if (actionId !== '' && this.#statements.ofNonce.get(lane, nonce) === undefined) return false;
      this.#statements.insert.run({ ...transaction, lane });
      const row = this.#actions.rowOf(actionId);
      if (row?.state === 'submitted') this.#actions.changeWithin(tx, row, { transactionHash: hash });
      return true;
    });
  }

  async open(lane: string): Promise<SignedTransaction[]> {
    return this.#statements.open.all(lane).map((row) => ({
      hash: row.hash,
      nonce: row.nonce,
      actionId: row.action_id,
      raw: row.raw,
      maxFee: row.max_fee,
      priorityFee: row.priority_fee,
      signedAt: row.signed_at,
    }));
  }

  settle(lane: string, node: string, nonce: number, hash: string, error: string | null): Promise<boolean> {
    return this.#asLeased(lane, node, (tx) => {
      const row = this.#actionOf(lane, nonce);
      this.#statements.settle.run(lane, nonce);
      if (row?.state === 'submitted') {
        const state = error === null ? 'confirmed' : 'failed';
        this.#actions.changeWithin(tx, row, { state, error, transactionHash: hash });
      }
      return true;
    });
  }

  requeueLost(lane: string, node: string, nonce: number): Promise<boolean> {
    return this.#asLeased(lane, node, (tx) => {
      const row = this.#actionOf(lane, nonce);
      this.#statements.settle.run(lane, nonce);
      if (row?.state === 'submitted') {
        const error = 'another transaction of the signer took its nonce; it is sent again';
        this.#actions.changeWithin(tx, row, { state: 'queued', error, dueAt: tx.now });
      }
      return true;
    });
  }

  fail(lane: string, node: string, actionId: string, error: string): Promise<boolean> {
    return this.#whileQueued(lane, node, actionId, (tx, row) => {
      this.#actions.changeWithin(tx, row, { state: 'failed', error });
    });
  }

  postpone(lane: string, node: string, actionId: string, error: string, dueAt: number): Promise<boolean> {
    return this.#whileQueued(lane, node, actionId, (tx, row) => {
      this.#actions.changeWithin(tx, { ...row, attempts: row.attempts + 1 }, { error, dueAt });
    });
  }

  #whileQueued(
    lane: string,
    node: string,
    actionId: string,
    change: (tx: Transaction, row: ActionRow) => void,
  ): Promise<boolean> {
    return this.#asLeased(lane, node, (tx) => {
      const row = this.#actions.rowOf(actionId);
      if (row?.state !== 'queued') return false;
      change(tx, row);
      return true;
    });
  }

  #actionOf(lane: string, nonce: number): ActionRow | undefined {
    const transaction = this.#statements.ofNonce.get(lane, nonce);
    return transaction && this.#actions.rowOf(transaction.action_id);
  }

  #asLeased(
    lane: string,
    node: string,
    change: (tx: Transaction, row: LaneRow) => boolean,
  ): Promise<boolean> {
    return this.#group.write((tx) => {
      const row = this.#statements.find.get(lane);
      if (row?.node !== node || row.leased_until <= tx.now) return false;
      return change(tx, row);
    });
  }
}
