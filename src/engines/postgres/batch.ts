import type { StoredEvent } from '../../core/events/stream.ts';
import {
  type AnyCommand,
  type Context,
  type EmittedEvent,
  ExclusiveTx,
  type Reaction,
  type Request,
  type Steps,
  Tx,
  withReactions,
} from '../../core/storage/command.ts';
import { isIndex } from '../../core/storage/table.ts';
import { codeOf } from '../../runtime/error-code.ts';
import { BatchAnswers, type BatchAnswersOptions } from './batch-answers.ts';
import { BatchLoader, type BatchLoaderOptions } from './batch-loader.ts';
import { BatchWriter, type BatchWriterOptions } from './batch-writer.ts';
import { type Connection, settled } from './connection.ts';
import type { DeclaredStatements } from './declared-statements.ts';
import { fenceErrorCode, type WriterPlace } from './event-writer.ts';
import type { RowCache } from './row-cache.ts';
import { RowsAtHand } from './rows-at-hand.ts';

/** A command that waits to be carried out. */
export interface QueuedCommand {
  readonly command: AnyCommand;
  readonly args: readonly unknown[];
}

/** How a command ended, once its transaction is committed. */
export type Outcome = { result: unknown } | { error: unknown };

export interface BatchOptions extends BatchWriterOptions, BatchLoaderOptions, BatchAnswersOptions {
  readonly rowCache: RowCache;
  /** Names this history. */
  epoch(): string;
  readonly statements: DeclaredStatements;
  readonly react: Reaction | null;
  clock(): number;
  newId(): string;
}

/** Where a batch is written: which lane, whose, and how far it has come. */
export interface LanePlace {
  readonly lane: number;
  readonly owner: string;
  /** Who owns it after this owner's connection was lost: known before, because a claim that got no answer may have succeeded. */
  readonly heir: string;
  /** Of the last batch. */
  n: number;
  /** Of the last event. */
  position: number;
  /** No other lane may write, as far as is known; a batch that relies on it fails at the fence once that has changed. */
  isSoleWriter: boolean;
}

/** What a batch came to. */
export interface BatchResult {
  readonly outcomes: readonly Outcome[];
  readonly events: readonly StoredEvent[];
  readonly wakes: readonly string[];
  /** Rounds of loading. */
  readonly rounds: number;
  /** Of the lane's last event. */
  readonly position: number;
}

/** The lane is another node's by now, or is no longer the sole writer: nothing was written. */
export class LaneLost extends Error {}
class Running {
  readonly queued: QueuedCommand;
  readonly now: number;
  tx: Tx | undefined;
  /** Suspended at its first request, before it was given anything: it can be resumed. */
  suspended: Steps<unknown> | null = null;
  outcome: Outcome | undefined;
  readonly #ids: string[];

  /** `before`: when its transaction was tried before. */
  constructor(queued: QueuedCommand, now: number, before?: Running) {
    this.queued = queued;
    this.now = now;
    this.#ids = before ? before.#ids : [];
  }

  /** For one more run, which makes the same ids as the one before: a row that was loaded under one of them is asked for again. */
  context(newId: () => string): Context {
    let made = 0;
    return {
      now: this.now,
      newId: () => {
        const id = this.#ids[made] ?? newId();
        this.#ids[made++] = id;
        return id;
      },
    };
  }
}

/**
 * One transaction of many commands. They are run in their order, as far as the rows at hand allow; what is missing is loaded
 * for all of them together, and they are run again from the first that missed something. So each command sees what those
 * before it have changed, and the last run, which missed nothing, is as if they had come one by one.
 */
export class Batch {
  readonly #connection: Connection;
  readonly #options: BatchOptions;
  readonly #place: LanePlace;
  readonly #running: Running[];
  readonly #hand: RowsAtHand;
  readonly #answers: BatchAnswers;
  readonly #loader: BatchLoader;
  readonly #before: Batch | null;
  /** Null: another node may write, or the batch runs statements. */
  readonly #rowCache: RowCache | null;

  /**
   * `before`: the same commands, whose transaction failed. All that it has locked, or could not lock any more behind what it
   * had locked, is locked first, in the one order of all nodes.
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
    const earlier = before === null ? [] : before.#running;
    this.#running = queued.map((one, at) => new Running(one, options.clock(), earlier[at]));
    const isExclusive = queued[0]?.command.isExclusive ?? false;
    const rowCache = place.isSoleWriter && !isExclusive ? options.rowCache : null;
    this.#rowCache = rowCache;
    this.#hand = new RowsAtHand(isExclusive ? null : options.kept, rowCache);
    this.#answers = new BatchAnswers(this.#hand, options, isExclusive);
    this.#loader = new BatchLoader(this.#hand, connection, options, isExclusive);
  }

  /** Carries the batch out. From the call of `committing` on, it may have been committed when this rejects. */
  async run(committing: (result: BatchResult) => void): Promise<void> {
    const begun = this.#connection.script('BEGIN');
    begun.catch(() => {}); // told by what follows
    const [first] = this.#running;
    const writer = new BatchWriter(
      this.#connection,
      { ...this.#place, n: this.#place.n + 1, epoch: this.#options.epoch() } satisfies WriterPlace &
        LanePlace,
      this.#options,
    );
    if (first?.queued.command.isExclusive) await this.#runExclusive(first, writer);
    else await this.#decide();
    await begun;
    await this.#commit(writer, committing);
  }

  /** Runs the commands until each has ended, loading what they ask for in between. */
  async #decide(): Promise<void> {
    let from = 0;
    for (;;) {
      let firstMissed: number | undefined;
      for (let at = from; at < this.#running.length; at++) {
        const running = this.#running[at];
        if (running && !this.#step(running)) firstMissed ??= at;
      }
      if (firstMissed === undefined) {
        if (this.#loader.generation !== null) return;
        this.#loader.generation = this.#rowCache?.generation ?? null;
        if (this.#loader.generation !== null || !(await this.#loader.loadVersion())) return;
        from = 0;
        this.#runAgain();
        continue;
      }
      for (const running of this.#running.slice(firstMissed).toReversed()) running.tx?.undo();
      from = firstMissed;
      const wants = this.#answers.takeWants();
      if (this.#before && this.#loader.rounds === 0) this.#before.#loader.addLocksTo(wants);
      if (!(await this.#loader.load(wants))) continue;
      from = 0;
      this.#runAgain();
    }
  }

  #runAgain(): void {
    for (const running of this.#running) running.outcome = undefined;
  }

  /** Runs one command: resumes it at its first request, else restarts it. False: it has asked for what is not at hand. */
  #step(running: Running): boolean {
    const { queued, suspended } = running;
    running.outcome = undefined;
    running.suspended = null;
    const tx =
      (suspended && running.tx) ??
      new Tx(this.#hand.rows, this.#answers, running.context(this.#options.newId));
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

  /** A command that may run statements: it goes on where it was, because what statements have done stays done. */
  async #runExclusive(running: Running, writer: BatchWriter): Promise<void> {
    const tx = new ExclusiveTx(this.#hand.rows, this.#answers, running.context(this.#options.newId));
    running.tx = tx;
    const emitted: EmittedEvent[] = [];
    let taken = 0;
    const flush = async () => {
      emitted.push(...tx.events.slice(taken));
      taken = tx.events.length;
      await settled([...writer.write(this.#hand, running.now, emitted, null), ...writer.sendEvents(null)]);
    };
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
        this.#answers.settle(value, await this.#carryOut(value));
      } else await this.#loader.load(this.#answers.takeWants());
    }
    await flush();
  }

  async #carryOut({ kind, target, key, statement, values }: Request<unknown>): Promise<unknown> {
    const connection = this.#connection;
    if (kind === 'flush') {
      this.#hand.forgetChanged(undefined);
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
    if (kind === 'rows') return result.rows;
    this.#hand.forgetChanged(statement.changes);
    this.#hasRunStatements = true;
    return result.rowCount;
  }

  #hasRunStatements = false;

  async #commit(writer: BatchWriter, committing: (result: BatchResult) => void): Promise<void> {
    const [first] = this.#running;
    const emitted = first?.queued.command.isExclusive
      ? []
      : this.#running.flatMap(({ tx, outcome }) => (tx && outcome && 'result' in outcome ? tx.events : []));
    const now = first?.now ?? this.#options.clock();
    const sent = first?.queued.command.isExclusive
      ? []
      : writer.write(this.#hand, now, emitted, this.#loader.generation ?? 0);
    const connection = this.#connection;
    const { lane, owner, n, position, isSoleWriter } = this.#place;
    const version = writer.changedRemembered || this.#hasRunStatements ? 1 : 0;
    const wakes = new Set<string>();
    for (const { tx } of this.#running) for (const worker of tx?.wakes ?? []) wakes.add(worker);
    const result: BatchResult = {
      outcomes: this.#running.map(
        ({ outcome }) => outcome ?? { error: new Error('a command has not ended') },
      ),
      events: writer.stored,
      wakes: [...wakes],
      rounds: this.#loader.rounds,
      position: position + writer.stored.length,
    };
    if (version > 0) this.#options.kept.forget();
    const fenced = settled(writer.sendEvents({ lane, owner, n, version, isSoleWriter })).catch((error) => {
      throw codeOf(error) === fenceErrorCode
        ? new LaneLost(`the lane ${lane} is another node's, or no longer the sole writer`)
        : error;
    });
    sent.push(fenced);
    committing(result);
    const committed = connection.script('COMMIT');
    sent.push(committed);
    await settled(sent);
    if ((await committed) !== 'COMMIT')
      throw new Error('a transaction was not committed, and no statement has failed');
    if (this.#rowCache) this.#rowCache.update(this.#hand.rows, this.#loader.generation);
    else this.#options.rowCache.clear();
  }
}
