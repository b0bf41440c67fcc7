import type { StoredEvent } from '../../core/events/stream.ts';
import {
  type AnyCommand,
  type Context,
  type EmittedEvent,
  ExclusiveTx,
  type Request,
  type Steps,
  Tx,
} from '../../core/storage/command.ts';
import { type Reaction, withReactions } from '../../core/storage/steps.ts';
import { isIndex } from '../../core/storage/table.ts';
import { codeOf } from '../../runtime/error-code.ts';
import { BatchAnswers, type BatchAnswersOptions } from './batch-answers.ts';
import { BatchLoader, type BatchLoaderOptions } from './batch-loader.ts';
import { BatchWriter, type BatchWriterOptions } from './batch-writer.ts';
import type { CommitChanges } from './change-counts.ts';
import { type Connection, divisionByZero, planByValues, settled, withRowExists } from './connection.ts';
import type { DeclaredStatements } from './declared-statements.ts';
import type { WriterPlace } from './event-writer.ts';
import { LoadedRows, type RowCache } from './loaded-rows.ts';

/** A command that waits to run. */
export interface QueuedCommand {
  readonly command: AnyCommand;
  readonly args: readonly unknown[];
}

/** The commands that wait behind a batch. */
export interface WaitingCommands {
  /** The next one, if it may be in the same transaction. */
  first(): QueuedCommand | null;
  /** Adds it to the batch. */
  take(): void;
  /** Call this with the commit: whether another batch is to begin at once. */
  committing(): boolean;
}

/** How a command ended, once its transaction is committed. */
export type Outcome = { result: unknown } | { error: unknown };

export interface BatchOptions extends BatchWriterOptions, BatchLoaderOptions, BatchAnswersOptions {
  readonly rowCache: RowCache;
  /** Identifies this history. */
  epoch(): string;
  readonly statements: DeclaredStatements;
  readonly react: Reaction | null;
  clock(): number;
  newId(): string;
  /** See `Context`. */
  readonly gameStorageQuota: number;
}

/** A node's position in a write lane: the lane, its owner, and the last batch and event. */
export interface LanePlace {
  readonly lane: number;
  readonly owner: string;
  /**
   * The owner id to reclaim the lane with after a lost connection; fixed beforehand, because a claim without a response
   * may have succeeded.
   */
  readonly nextOwner: string;
  /** The number of the last batch. */
  n: number;
  /** The position of the last event. */
  position: number;
  /**
   * No other lane may write, as far as this node knows; a batch that relies on it fails at the fence once that has
   * changed.
   */
  isSoleWriter: boolean;
}

/** The result of a batch. */
export interface BatchResult {
  readonly outcomes: readonly Outcome[];
  readonly events: readonly StoredEvent[];
  readonly wakes: readonly string[];
  /** Rounds of loading. */
  readonly rounds: number;
  /** The position of the lane's last event. */
  readonly position: number;
  readonly changes: CommitChanges;
}

/** Another node owns the lane, or it is no longer the sole writer: nothing was written. */
export class LaneLost extends Error {}

class RunningCommand {
  readonly queued: QueuedCommand;
  readonly now: number;
  tx: Tx | undefined;
  /** Suspended at its first request, before it received a value, so it can be resumed. */
  suspended: Steps<unknown> | null = null;
  outcome: Outcome | undefined;
  readonly #ids: string[];
  /** Ids that belong to rows. */
  readonly #idsOf: Map<string, string>;

  /** `before`: the same command in the previous attempt. */
  constructor(queued: QueuedCommand, now: number, before?: RunningCommand) {
    this.queued = queued;
    this.now = now;
    this.#ids = before ? before.#ids : [];
    this.#idsOf = before ? before.#idsOf : new Map();
  }

  /** For the next run, which makes the same ids as the previous one, so that it requests rows under the same keys. */
  context({ newId, gameStorageQuota }: BatchOptions, { lane }: LanePlace): Context {
    let made = 0;
    return {
      now: this.now,
      writer: lane,
      gameStorageQuota,
      newId: (of) => {
        const id = (of === undefined ? this.#ids[made] : this.#idsOf.get(of)) ?? newId();
        if (of === undefined) this.#ids[made++] = id;
        else this.#idsOf.set(of, id);
        return id;
      },
    };
  }
}

/**
 * One transaction of many commands. They run in order, as far as the loaded rows allow; what is missing is loaded for
 * all of them together, and they run again from the first that missed something. So each command sees the changes of
 * those before it, and the last run, which misses nothing, is equivalent to running them one by one.
 */
export class Batch {
  readonly #connection: Connection;
  readonly #options: BatchOptions;
  readonly #place: LanePlace;
  readonly #commands: RunningCommand[];
  readonly #loaded: LoadedRows;
  readonly #answers: BatchAnswers;
  readonly #loader: BatchLoader;
  readonly #before: Batch | null;
  /** Null: another node may write, or the batch runs statements. */
  readonly #rowCache: RowCache | null;

  /**
   * `before`: the previous attempt at the same commands, which failed. All locks that it has requested are taken first,
   * in the order common to all nodes.
   */
  constructor(
    queued: readonly QueuedCommand[],
    connection: Connection,
    place: LanePlace,
    options: BatchOptions,
    before: Batch | null = null,
  ) {
    this.#connection = connection;
    this.#options = options;
    this.#place = place;
    this.#before = before;
    const earlier = before === null ? [] : before.#commands;
    this.#commands = queued.map((one, at) => new RunningCommand(one, options.clock(), earlier[at]));
    const isExclusive = queued[0]?.command.isExclusive ?? false;
    const rowCache = place.isSoleWriter && !isExclusive ? options.rowCache : null;
    this.#rowCache = rowCache;
    this.#loaded = new LoadedRows(isExclusive ? null : options.readCache, rowCache);
    this.#answers = new BatchAnswers(this.#loaded, options, isExclusive);
    this.#loader = new BatchLoader(this.#loaded, connection, options, isExclusive);
  }

  /** Runs the batch. If this rejects after it has called `committing`, the batch may still have been committed. */
  async run(committing: (result: BatchResult) => void, waiting: WaitingCommands): Promise<void> {
    const beginning = this.#connection.begin();
    beginning.catch(() => {}); // awaited below
    const [first] = this.#commands;
    const writer = new BatchWriter(
      this.#connection,
      { ...this.#place, n: this.#place.n + 1, epoch: this.#options.epoch() } satisfies WriterPlace &
        LanePlace,
      this.#options,
    );
    if (first?.queued.command.isExclusive) await this.#runExclusive(first, writer);
    else {
      await this.#runCommands();
      if (this.#loader.rounds > 0) this.#takeAlong(waiting);
    }
    await beginning;
    await this.#commit(writer, committing, waiting);
  }

  /**
   * Runs the commands that were queued while this batch waited for its locks, up to the first that misses something.
   * Where several nodes write one stream in turn, each would else have a transaction for what was queued in two turns.
   * What other nodes have committed before a command was queued must be seen by it, so these rely on locked rows, and on
   * cached ones if they are still valid at the end.
   */
  #takeAlong(waiting: WaitingCommands): void {
    let next = waiting.first();
    if (next && !this.#rowCache) this.#loaded.discardUnlocked();
    for (; next; next = waiting.first()) {
      const running = new RunningCommand(next, this.#options.clock());
      if (!this.#runCommand(running)) {
        running.tx?.undo();
        this.#answers.takePending();
        return;
      }
      this.#commands.push(running);
      this.#hasTakenAlong = true;
      waiting.take();
    }
  }

  /** Runs the commands until each has ended, loading what they request in between. */
  async #runCommands(): Promise<void> {
    let from = 0;
    for (;;) {
      let firstMissed: number | undefined;
      for (let at = from; at < this.#commands.length; at++) {
        const running = this.#commands[at];
        if (running && !this.#runCommand(running)) firstMissed ??= at;
      }
      if (firstMissed === undefined) {
        if (this.#loader.generation !== null) return;
        this.#loader.generation = this.#rowCache?.generation ?? null;
        if (this.#loader.generation !== null || !(await this.#loader.loadVersion())) return;
        from = 0;
        this.#resetOutcomes();
        continue;
      }
      for (const running of this.#commands.slice(firstMissed).toReversed()) running.tx?.undo();
      from = firstMissed;
      const pending = this.#answers.takePending();
      if (this.#before && this.#loader.rounds === 0) this.#before.#loader.addLocksTo(pending);
      if (!(await this.#loader.load(pending))) continue;
      from = 0;
      this.#resetOutcomes();
    }
  }

  #resetOutcomes(): void {
    for (const running of this.#commands) running.outcome = undefined;
  }

  /**
   * Runs one command: resumes it at its first request, else restarts it. False: it has requested something that is not
   * loaded.
   */
  #runCommand(running: RunningCommand): boolean {
    const { queued, suspended } = running;
    running.outcome = undefined;
    running.suspended = null;
    const tx =
      (suspended && running.tx) ??
      new Tx(this.#loaded.rows, this.#answers, running.context(this.#options, this.#place));
    running.tx = tx;
    this.#answers.begin(queued.command.commandName);
    try {
      const steps = suspended ?? this.#begin(queued, tx);
      const { done, value } = steps.next();
      if (!done) {
        this.#answers.hasWrittenUnlocked(tx);
        if (!this.#answers.hasAnswered && !tx.hasWritten && !tx.mustRestart) running.suspended = steps;
        return false;
      }
      if (this.#answers.hasWrittenUnlocked(tx)) return false;
      running.outcome = { result: value };
    } catch (error) {
      tx.undo();
      if (this.#answers.hasWrittenUnlocked(tx)) return false;
      running.outcome = { error };
    }
    return true;
  }

  #begin({ command, args }: QueuedCommand, tx: Tx): Steps<unknown> {
    return withReactions(tx, command(tx, ...(args as never)), this.#options.react);
  }

  /**
   * Runs an exclusive command. It is resumed at every request, never restarted, because statements cannot be undone
   * singly.
   */
  async #runExclusive(running: RunningCommand, writer: BatchWriter): Promise<void> {
    const context = running.context(this.#options, this.#place);
    const tx = new ExclusiveTx(this.#loaded.rows, this.#answers, context);
    running.tx = tx;
    const emitted: EmittedEvent[] = [];
    let flushed = 0;
    const flush = async () => {
      emitted.push(...tx.events.slice(flushed));
      flushed = tx.events.length;
      const sent = [...writer.write(this.#loaded, running.now, emitted, null), ...writer.sendEvents(null)];
      await settled(sent).catch((error: unknown) => {
        throw withRowExists(error);
      });
    };
    await planByValues(this.#connection);
    const steps = this.#begin(running.queued, tx);
    for (;;) {
      const { done, value } = steps.next();
      if (done) {
        running.outcome = { result: value };
        break;
      }
      if (value.tx !== tx) throw new Error('a request of another transaction');
      if (['run', 'rows', 'rank', 'flush'].includes(value.kind)) {
        await flush();
        this.#answers.settle(value, await this.#execute(value));
      } else await this.#loader.load(this.#answers.takePending());
    }
    await flush();
  }

  async #execute({ kind, target, key, statement, values }: Request<unknown>): Promise<unknown> {
    const connection = this.#connection;
    if (kind === 'flush') {
      this.#loaded.invalidate(undefined);
      return undefined;
    }
    if (kind === 'rank') {
      if (!target || isIndex(target)) throw new Error('a recount needs a table');
      await this.#options.ranks.recount(connection, target, String(key[0]));
      return undefined;
    }
    if (!statement) throw new Error('there is no statement to run');
    const { text, parameters } = this.#options.statements.of(statement);
    const result = await connection.run(text, parameters(values));
    if (kind === 'rows' && !statement.changes) return result.rows;
    this.#loaded.invalidate(statement.changes);
    this.#hasRunStatements = true;
    return kind === 'rows' ? result.rows : result.rowCount;
  }

  #hasRunStatements = false;
  #hasTakenAlong = false;

  async #commit(
    writer: BatchWriter,
    committing: (result: BatchResult) => void,
    waiting: WaitingCommands,
  ): Promise<void> {
    const [first] = this.#commands;
    const emitted = first?.queued.command.isExclusive
      ? []
      : this.#commands.flatMap(({ tx, outcome }) => (tx && outcome && 'result' in outcome ? tx.events : []));
    const now = first?.now ?? this.#options.clock();
    const sent = first?.queued.command.isExclusive
      ? []
      : writer.write(this.#loaded, now, emitted, this.#loader.generation ?? 0);
    const { lane, owner, n, position, isSoleWriter } = this.#place;
    const changes: CommitChanges = {
      rows: writer.changedCacheable || this.#hasRunStatements,
      boards: writer.changedBoards || this.#hasRunStatements,
    };
    const version = changes.rows ? 1 : 0;
    const wakes = new Set<string>();
    for (const { tx } of this.#commands) for (const worker of tx?.wakes ?? []) wakes.add(worker);
    const result: BatchResult = {
      outcomes: this.#commands.map(
        ({ outcome }) => outcome ?? { error: new Error('a command has not ended') },
      ),
      events: writer.stored,
      wakes: [...wakes],
      rounds: this.#loader.rounds,
      position: position + writer.stored.length,
      changes,
    };
    if (this.#hasTakenAlong && this.#loaded.usesReadCache) sent.push(this.#loader.confirmVersion());
    if (version > 0) this.#options.readCache.clear();
    const fenced = settled(writer.sendEvents({ lane, owner, n, version, isSoleWriter })).catch((error) => {
      throw codeOf(error) === divisionByZero
        ? new LaneLost(`lane ${lane} was taken by another node, or is no longer the sole writer`)
        : error;
    });
    sent.push(fenced);
    committing(result);
    sent.push(this.#connection.commit({ andBegin: waiting.committing() }));
    await settled(sent);
    if (this.#rowCache) this.#rowCache.update(this.#loaded.rows, this.#loader.generation);
    else this.#options.rowCache.clear();
  }
}
