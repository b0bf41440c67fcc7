import { GantryError } from '../../core/errors.ts';
import { recordIn } from '../../core/events/event.ts';
import {
  type Cursor,
  type EventText,
  type Listener,
  type StoredEvent,
  type StreamPosition,
  streamOf,
} from '../../core/events/stream.ts';
import type { Query } from '../../core/storage/query.ts';
import type { Store } from '../../core/storage/store.ts';
import { maxFollowed } from '../../features/events/connection.ts';
import { eventsOfStream, readEpoch, streamPosition, streamPositions } from '../../features/events/queries.ts';
import { findGame } from '../../features/games/queries.ts';
import { notificationCreated } from '../../features/notifications/events.ts';
import { listUndelivered, type NotificationEvent } from '../../features/notifications/queries.ts';
import type { SessionDetails } from '../../features/sessions/channel-session.ts';
import type { ConcurrencyLimiter } from '../../runtime/concurrency-limiter.ts';
import { asSeenBy, isFor, type Push } from './push.ts';
import type { Subscriptions } from './subscriptions.ts';

/**
 * The number of events read and sent per batch: even of the longest, fewer than make a slow consumer. The next batch is
 * read only after the socket's queue has drained.
 */
const batchSize = 20;
/** The same for a replay whose events are short: of the longer ones in a batch, this many characters are sent. */
const replayBatchSize = 100;
const maxReplayLength = 128 * 1024;
/**
 * The maximum of events and characters buffered while a socket catches up; beyond that they are read from the database.
 */
const maxBuffered = 1_000;
const maxBufferedSize = 1024 * 1024;
/** The maximum number of cursors in a handshake, one per stream; no known client has more. */
export const maxCursors = 5_000;

const maxStreamLength = 200;
const maxEpochLength = 64;

type CursorMap = Readonly<Record<string, Cursor>>;

/** The handshake's `auth.cursors` and `auth.partial`, not validated yet. */
export interface HandshakeCursors {
  cursors: unknown;
  partial: unknown;
}

/** A client's positions in its streams. */
export interface ClientCursors {
  cursors: CursorMap;
  /** The client omitted cursors: streams without one continue from their current position. */
  isPartial: boolean;
}

/**
 * Parses the handshake's cursors; undefined when there are none. Their number is checked before any is validated.
 * @throws GantryError `cursors_invalid`
 */
export function readCursors({ cursors: value, partial }: HandshakeCursors): ClientCursors | undefined {
  if (value === undefined || value === null) return undefined;
  const isMap = typeof value === 'object' && !Array.isArray(value);
  const streams = isMap ? Object.keys(value) : [];
  if (streams.length > maxCursors) {
    throw invalid(`are of ${streams.length} streams; at most ${maxCursors} are allowed`);
  }
  if (!isMap || !isCursorMap(value)) throw invalid('must be { [stream]: { epoch: string, seq: number } }');
  if (streams.length === 0) return undefined;
  const games = streams.filter(isGameStream).length;
  if (games > maxFollowed) {
    throw invalid(
      `name the public streams of ${games} games; at most ${maxFollowed} can be followed at once`,
    );
  }
  return { cursors: value, isPartial: partial === true };
}

/** Checked by hand: for thousands of cursors, zod would take longer than the rest of the handshake. */
function isCursorMap(value: object): value is CursorMap {
  return Object.entries(value).every(
    ([stream, cursor]: [string, unknown]) => stream.length <= maxStreamLength && isCursor(cursor),
  );
}

function isCursor(value: unknown): value is Cursor {
  if (typeof value !== 'object' || value === null || !('epoch' in value && 'seq' in value)) return false;
  const { epoch, seq } = value;
  return (
    typeof epoch === 'string' &&
    epoch.length <= maxEpochLength &&
    Number.isSafeInteger(seq) &&
    Number(seq) >= 0
  );
}

function invalid(what: string): GantryError {
  return new GantryError('cursors_invalid', `auth.cursors ${what}. Connect without them, and refresh`);
}

/** Where a stream resumes for a client: after `seq`, and whether everything after its cursor follows. */
export interface Resumption extends Cursor {
  /** The stream's last event: those in between are about to be replayed. */
  latest: number;
  recovered: boolean;
}

export interface CatchUpDependencies {
  db: Store;
  details: SessionDetails;
  listener: Listener;
  push: Push;
  turns: ConcurrencyLimiter;
  /** The games whose public streams the socket follows; `prepare` adds those named by cursors. */
  followed: Pick<Subscriptions, 'games' | 'add'>;
  send(events: readonly EventText[], isLate?: boolean): void;
  /** Resolves when the socket's queue has drained. */
  drained(): Promise<void>;
  /** Resolves when everything committed before the call has been offered to every socket. */
  flushed(): Promise<void>;
}

/**
 * Brings one socket up to date: queued notifications, the events after its cursors, then the events committed
 * meanwhile, without gaps or reordering, before it goes live. It buffers every event offered from construction on, so
 * events written after the positions were read are not lost.
 */
export class CatchUp {
  readonly sessionId: string;
  readonly #db: Store;
  readonly #details: SessionDetails;
  readonly #listener: Listener;
  readonly #push: Push;
  readonly #dependencies: CatchUpDependencies;
  #buffered: StoredEvent[] = [];
  #bufferedSize = 0;
  #overflowed = false;
  #cancelled = false;
  /** The last `seq` sent to the socket, by stream. */
  readonly #reached = new Map<string, number>();
  #resumptions: Record<string, Resumption> = {};
  /** Read by `prepare`; null once the replay has used them. */
  #prepared: StreamPosition[] | null = null;

  constructor(dependencies: CatchUpDependencies) {
    this.#dependencies = dependencies;
    this.#db = dependencies.db;
    this.#details = dependencies.details;
    this.sessionId = this.#details.session.id;
    this.#listener = dependencies.listener;
    this.#push = dependencies.push;
    this.#push.hold(this);
  }

  /** Buffers a new event if the socket is in its audience. */
  offer(event: StoredEvent): void {
    if (this.#overflowed || !isFor(event.audience, this.#listener, this.#dependencies.followed.games)) return;
    this.#buffered.push(asSeenBy(event, this.#listener));
    this.#bufferedSize += event.record.length;
    if (this.#buffered.length <= maxBuffered && this.#bufferedSize <= maxBufferedSize) return;
    this.#buffered = [];
    this.#overflowed = true;
  }

  /** Sets the position from which a stream followed since `prepare` is sent. */
  startAfter(stream: string, seq: number): void {
    if (!this.#reached.has(stream)) this.#reached.set(stream, seq);
  }

  /** Reads every stream's position and determines where the client's cursors let it resume. */
  async prepare(client: ClientCursors | undefined): Promise<Record<string, Resumption>> {
    const epoch = await this.#db.read(readEpoch);
    const gameStreams = Object.keys(client?.cursors ?? {}).filter(isGameStream);
    await Promise.all(gameStreams.map((stream) => this.#followAgain(stream)));
    this.#prepared = await this.#positions();
    for (const position of this.#prepared) {
      const resumption = resume(position, client, epoch);
      this.#resumptions[position.stream] = resumption;
      this.#reached.set(position.stream, resumption.seq);
    }
    return this.#resumptions;
  }

  /**
   * Sends the missed events and resolves when none is missing. `goLive` is called in the same turn as the last buffered
   * event is sent, so that none is lost in between.
   */
  async run(goLive: () => void): Promise<void> {
    await this.#sendUndelivered();
    do {
      this.#overflowed = false;
      this.#bufferedSize = 0;
      await this.#replay();
      // Events just read may still be in flight to this socket: after going live, they would be delivered twice.
      await this.#dependencies.flushed();
      while (this.#buffered.length > batchSize && !this.#cancelled) {
        await this.#send(this.#buffered.splice(0, batchSize));
      }
    } while (this.#overflowed && !this.#cancelled);
    if (this.#cancelled) return;
    this.#sendNow(this.#buffered);
    goLive();
    this.cancel();
  }

  /** Releases everything: the socket is closed or has gone live. */
  cancel(): void {
    this.#cancelled = true;
    this.#buffered = [];
    this.#reached.clear();
    this.#resumptions = {};
    this.#push.release(this);
  }

  /** Follows the game of a public stream's cursor again, if the client may and the game exists. */
  async #followAgain(stream: string): Promise<void> {
    const gameId = stream.slice(streamOf.game('').length);
    const { game } = this.#details;
    const mayFollow =
      gameId === game.id || (game.kind === 'launcher' && (await this.#db.read(findGame, gameId)) !== null);
    if (mayFollow) this.#dependencies.followed.add(gameId);
  }

  async #positions(): Promise<StreamPosition[]> {
    const followed = [...this.#dependencies.followed.games].map((gameId) =>
      this.#db.read(streamPosition, streamOf.game(gameId)),
    );
    return [...(await this.#read(streamPositions, this.#listener)), ...(await Promise.all(followed))];
  }

  /** Sends all queued notifications in batches, waiting for the socket to drain. */
  async #sendUndelivered(): Promise<void> {
    let last: NotificationEvent | undefined;
    do {
      const waiting = await this.#read(listUndelivered, this.#listener, batchSize, last);
      await this.#sendLate(waiting);
      last = waiting.length === batchSize ? waiting.at(-1) : undefined;
    } while (last && !this.#cancelled);
  }

  /** Sends notifications that were not delivered, except those that the replay will send. */
  async #sendLate(waiting: readonly NotificationEvent[]): Promise<void> {
    const late = waiting.filter((event) => event.seq <= (this.#reached.get(event.stream) ?? 0));
    if (late.length === 0 || this.#cancelled) return;
    const texts = late.map((event) => ({ ...event, record: JSON.stringify(event.record) }));
    this.#dependencies.send(texts, true);
    this.#push.markDelivered(late.map((event) => event.record._id));
    await this.#dependencies.drained();
  }

  async #replay(): Promise<void> {
    // What was written after `prepare` is buffered; only when the buffer overflowed, the positions are read again.
    const positions = this.#prepared ?? (await this.#positions());
    this.#prepared = null;
    for (const { stream, seq, since } of positions) {
      if (isGameStream(stream) && !this.#reached.has(stream)) continue; // followed since `prepare`, see `startAfter`
      let reached = Math.max(this.#reached.get(stream) ?? since, since);
      let batch = replayBatchSize;
      while (reached < seq && !this.#cancelled) {
        // Not beyond `seq`: later events are buffered if this player is in their audience.
        const limit = Math.min(batch, seq - reached);
        const read = await this.#read(eventsOfStream, stream, reached, limit, this.#listener);
        const events = firstOf(read, maxReplayLength);
        const last = events.at(-1);
        if (!last || this.#cancelled) break;
        if (events.length < read.length) batch = batchSize;
        reached = last.seq;
        await this.#send(events);
      }
    }
  }

  #read<Args extends unknown[], Result>(query: Query<Args, Result>, ...args: Args): Promise<Result> {
    return this.#dependencies.turns.take(() => this.#db.read(query, ...args));
  }

  /** Sends a batch and resolves when the socket's queue has drained. */
  async #send(events: readonly EventText[]): Promise<void> {
    this.#sendNow(events);
    await this.#dependencies.drained();
  }

  #sendNow(events: readonly EventText[]): void {
    const fresh = events.filter(({ stream, seq }) => seq > (this.#reached.get(stream) ?? 0));
    if (fresh.length === 0) return;
    this.#dependencies.send(fresh);
    for (const { stream, seq } of fresh) this.#reached.set(stream, seq);
    this.#push.markDelivered(fresh.flatMap((event) => recordIn(event, notificationCreated)?._id ?? []));
  }
}

/** The first of these events, of about `length` characters together; at least one. */
function firstOf(events: readonly EventText[], length: number): readonly EventText[] {
  let total = 0;
  const end = events.findIndex(({ record }) => {
    total += record.length;
    return total > length;
  });
  return end < 0 ? events : events.slice(0, Math.max(1, end));
}

/**
 * Where a stream resumes for a client. A cursor is valid if it has this history's epoch, is not ahead of it, and
 * everything after it is still stored. A client that sent cursors but none for this stream joined it while disconnected
 * and gets it from there, unless it omitted cursors (`isPartial`). A client without cursors starts at the end.
 */
function resume(position: StreamPosition, client: ClientCursors | undefined, epoch: string): Resumption {
  const { stream, seq, firstSeq, since } = position;
  const cursor = client && Object.hasOwn(client.cursors, stream) ? client.cursors[stream] : undefined;
  const from = cursor ? Math.max(cursor.seq, since) : since;
  const known = cursor ? cursor.epoch === epoch && cursor.seq <= seq : client?.isPartial === false;
  const recovered = known && from >= firstSeq - 1;
  return { epoch, seq: recovered ? from : seq, latest: seq, recovered };
}

function isGameStream(stream: string): boolean {
  return stream.startsWith(streamOf.game(''));
}
