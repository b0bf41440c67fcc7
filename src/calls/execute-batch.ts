import { GantryError, invalidField } from '../core/errors.ts';
import { failedAt } from '../core/failed-at.ts';
import type { Owner } from '../core/schemas/owner.ts';
import type { Command } from '../core/storage/command.ts';
import type { Store } from '../core/storage/store.ts';
import type { BatchedCall, RunBatch } from '../features/batched-call.ts';
import type { Game } from '../features/games/game.ts';
import type { AnyOperation, AuthKind, Callers } from '../features/operation.ts';
import { callsOf } from '../features/operation-cost.ts';
import type { Authenticated, Authenticator } from './auth/authenticator.ts';
import { parseInput, refuseNotServed, refuseServerOnly, withoutNulls } from './parse-input.ts';
import { checkUnknownFields, type UnknownField } from './unknown-fields.ts';

/** Runs commands by name atomically. */
type RunAll = Command<
  [owners: readonly Owner[], calls: readonly { command: string; args: readonly unknown[] }[]],
  unknown[]
>;

export interface BatchDependencies {
  authenticator: Authenticator;
  /** Finds an operation of the service `launcher` by name. */
  find(name: string): AnyOperation | undefined;
  runAll: RunAll;
  /**
   * Refuses writes during maintenance of the caller's game, or of the one that the input names.
   * @throws GantryError `maintenance`; undefined or a promise if it is not refused
   */
  refuseInMaintenance(game: Game | null, named: unknown): Promise<void> | undefined;
}

/** How a batch counts against its caller's limits, waits for its turn, and reports fields that its operations ignore. */
interface Counting {
  reportIgnored(operation: AnyOperation, ignored: readonly UnknownField[]): void;
  /** Counts that many more calls. */
  count(calls: number): Promise<void>;
  inTurn<Result>(calls: number, work: () => Promise<Result>): Promise<Result>;
}

/** The most that a batch may count as: all other writes wait for its transaction. */
export const maxCallsOfBatch = 500;

/** The caller of a batch: a player, or a game's server, which may name a player for all operations. */
type BatchCaller = Extract<Callers[AuthKind], { session: unknown }>;

/** An authorized and parsed operation of a batch. */
interface Prepared {
  operation: AnyOperation;
  caller: Callers['player' | 'player-or-server' | 'game-secret'];
  input: object;
}

/**
 * Returns a function that executes the operations of one batch. `services` are passed to the handlers; its `db` commits
 * the batch's writes.
 */
export function executeBatch(
  { find, authenticator, runAll, refuseInMaintenance }: BatchDependencies,
  batch: { authenticated: Authenticated; caller: BatchCaller; services: { db: Store } },
  { reportIgnored, count, inTurn }: Counting,
): RunBatch {
  const { authenticated, services } = batch;

  async function callerOf({ auth }: AnyOperation, data: BatchedCall['data']): Promise<Prepared['caller']> {
    const { caller } = batch;
    if (auth === 'game-secret') {
      if (authenticated.hasSecret) return { game: caller.game };
      throw new GantryError(
        'secret_required',
        "This operation requires the game's secret: Authorization: Bearer <secret>",
      );
    }
    if (caller.session) return caller;
    const named = data.wallet || caller.wallet;
    if (auth === 'player-or-server' && named !== null) {
      const wallet = await authenticator.admittedWallet(caller.game, named);
      return { game: caller.game, wallet, session: null };
    }
    throw new GantryError(
      'token_missing',
      auth === 'player'
        ? "This operation requires a player's launcherJwt"
        : 'wallet is missing: name the player in data, or for the whole batch',
    );
  }

  async function prepare({ method, data }: BatchedCall): Promise<Prepared> {
    const operation = find(method);
    if (operation?.kind !== 'write') {
      throw new GantryError('method_unknown', 'method must name an operation that writes');
    }
    if (!isBatchable(operation)) {
      throw new GantryError(
        'method_unknown',
        `${operation.name} cannot be in a batch: send it as a call of its own`,
      );
    }
    for (const own of ['launcherJwt', 'idempotencyKey']) {
      if (data[own] === undefined || data[own] === null || data[own] === '') continue;
      throw invalidField(own, 'must be given once for the whole batch, next to operations');
    }
    const caller = await callerOf(operation, data);
    refuseServerOnly(operation, authenticated);
    refuseNotServed(operation, data);
    const schema = operation.dispatchInput ?? operation.input;
    const ignored = checkUnknownFields(operation, schema, data, { caller, game: caller.game });
    if (ignored.length > 0) reportIgnored(operation, ignored);
    const input = parseInput(schema, withoutNulls(schema, data));
    // Of the caller's own game the batch as a whole is refused.
    if ('gameId' in input && !operation.goesOnInMaintenance) await refuseInMaintenance(null, input.gameId);
    return { operation, caller, input };
  }

  return async (calls) => {
    await count(calls.length - 1);
    const prepared: Prepared[] = [];
    for (const [at, call] of calls.entries()) {
      prepared.push(await prepare(call).catch((error: unknown) => refuseAt(at, error)));
    }
    const cost = prepared.reduce((sum, { operation, input }) => sum + callsOf(operation.cost, input), 0);
    refuseTooMuch(cost);
    await count(cost - calls.length);
    return inTurn(cost, () => handleAll(prepared));
  };

  async function handleAll(prepared: readonly Prepared[]): Promise<unknown[]> {
    const { db } = services;
    const owners = ownersOf(prepared);
    const batched = new BatchedWrites(db, prepared.length, (writes) => db.write(runAll, owners, writes));
    return Promise.all(
      prepared.map(async ({ operation, caller, input }, at) => {
        const handlerServices = { ...services, db: batched.storeFor(at) };
        try {
          const answer = await operation.handler({ input, caller }, handlerServices);
          batched.refuse(new Error(`${operation.name} ended without a write`));
          return answer;
        } catch (error) {
          const located =
            batched.hasFailed(error) || !(error instanceof GantryError) ? error : failedAt(at, error);
          batched.refuse(located);
          throw located;
        }
      }),
    );
  }
}

function refuseTooMuch(calls: number): void {
  if (calls <= maxCallsOfBatch) return;
  throw invalidField(
    'operations',
    `count as ${calls} writes, and a batch may have at most ${maxCallsOfBatch}`,
  );
}

function isBatchable({ auth, isRepeatable }: AnyOperation): boolean {
  return !isRepeatable && ['player', 'player-or-server', 'game-secret'].includes(auth);
}

function refuseAt(at: number, error: unknown): never {
  throw error instanceof GantryError ? failedAt(at, error) : error;
}

/** The distinct players of the operations. */
function ownersOf(prepared: readonly Prepared[]): Owner[] {
  const owners = new Map<string, Owner>();
  for (const { caller } of prepared) {
    if ('wallet' in caller) {
      owners.set(caller.wallet, { gameId: caller.game.id, wallet: caller.wallet });
    }
  }
  return [...owners.values()];
}

/** A write that waits for the batch's others. */
interface Waiting {
  command: string;
  args: readonly unknown[];
  settle: { resolve(result: unknown): void; reject(why: unknown): void };
}

/**
 * Makes several operations write in one transaction: each gets a store whose first write waits until all of them
 * have reached theirs. Then these are committed atomically, and each operation continues with its own result. Later
 * writes of an operation are committed separately.
 */
class BatchedWrites {
  readonly #store: Store;
  readonly #writeAll: (calls: readonly { command: string; args: readonly unknown[] }[]) => Promise<unknown[]>;
  readonly #waiting = new Map<number, Waiting>();
  readonly #count: number;
  /** Why nothing is written: an operation failed before its write, or the transaction failed. */
  #failure: { why: unknown } | null = null;
  #isWritten = false;

  constructor(
    store: Store,
    count: number,
    writeAll: (calls: readonly { command: string; args: readonly unknown[] }[]) => Promise<unknown[]>,
  ) {
    this.#store = store;
    this.#count = count;
    this.#writeAll = writeAll;
  }

  /** The store for the operation at this index. */
  storeFor(at: number): Store {
    const store = this.#store;
    return {
      write: <Args extends unknown[], Result>(command: Command<Args, Result>, ...args: Args) => {
        if (this.#isWritten) return store.write(command, ...args);
        return this.#enqueue<Result>(at, command.commandName, args);
      },
      read: (query, ...args) => store.read(query, ...args),
      now: () => store.now(),
    };
  }

  /** Whether this is the error that failed the batch. */
  hasFailed(why: unknown): boolean {
    return this.#failure?.why === why;
  }

  /** Call this when an operation ends without a write: nothing is written for any of them. */
  refuse(why: unknown): void {
    if (this.#isWritten || this.#failure) return;
    this.#fail(why);
  }

  #enqueue<Result>(at: number, command: string, args: readonly unknown[]): Promise<Result> {
    if (this.#failure) return Promise.reject(this.#failure.why);
    if (this.#waiting.has(at)) throw new Error('an operation of a batch has two writes in flight');
    const { promise, ...settle } = Promise.withResolvers<Result>();
    this.#waiting.set(at, { command, args, settle });
    if (this.#waiting.size === this.#count) void this.#write();
    return promise;
  }

  async #write(): Promise<void> {
    const inOrder = [...this.#waiting].toSorted(([one], [other]) => one - other).map(([, one]) => one);
    try {
      const results = await this.#writeAll(inOrder.map(({ command, args }) => ({ command, args })));
      this.#isWritten = true;
      for (const [at, { settle }] of inOrder.entries()) settle.resolve(results[at]);
    } catch (why) {
      this.#fail(why);
    }
  }

  #fail(why: unknown): void {
    this.#failure = { why };
    for (const { settle } of this.#waiting.values()) settle.reject(why);
  }
}
