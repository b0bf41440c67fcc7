import {
  type Cursor,
  type Listener,
  type StoredEvent,
  type StreamEvent,
  type StreamPosition,
  streamOf,
} from '../core/events/stream.ts';
import type { Database } from '../core/storage/database.ts';
import type { Query } from '../core/storage/query.ts';
import { GantryError } from '../errors.ts';
import { findGame } from '../games/queries.ts';
import type { NotificationRecord } from '../notifications/notification.ts';
import { listUndelivered } from '../notifications/queries.ts';
import type { Turns } from '../runtime/turns.ts';
import type { SessionDetails } from '../sessions/channel-session.ts';
import { maxFollowed } from './connection.ts';
import { isNotification, type Push } from './push.ts';
import { eventsOfStream, readEpoch, streamPosition, streamPositions } from './queries.ts';
import { isFor, listenerOf } from './rooms.ts';

/**
 * How many events are read from the database at a time, and sent before the socket is given time to take them: even of the
 * longest, less than makes a slow consumer. Nothing more is read for a socket until it has taken most of them.
 */
const batchSize = 20;
/** The most kept in memory of what happens while a socket is catching up, in events and in characters; beyond that it is read. */
const maxHeld = 1_000;
const maxHeldSize = 1024 * 1024;
/** A client has one cursor a stream it hears; more than this is no known client. */
export const maxCursors = 5_000;

const maxStreamLength = 200;
const maxEpochLength = 64;

type CursorMap = Readonly<Record<string, Cursor>>;

/** What a handshake says of its cursors, `auth.cursors` and `auth.partial`, as it came. */
export interface GivenCursors {
  cursors: unknown;
  partial: unknown;
}

/** How far a client has heard the streams. */
export interface HeardStreams {
  cursors: CursorMap;
  /** The client has heard streams it names no cursor of: those go on from where they are. */
  isPartial: boolean;
}

/**
 * The handshake's cursors, if it has any. They are counted before any is looked at.
 * @throws GantryError `cursors_invalid`
 */
export function readCursors({ cursors: value, partial }: GivenCursors): HeardStreams | undefined {
  if (value === undefined || value === null) return undefined;
  const isMap = typeof value === 'object' && !Array.isArray(value);
  const streams = isMap ? Object.keys(value) : [];
  if (streams.length > maxCursors) {
    throw invalid(`are of ${streams.length} streams; at most ${maxCursors} are taken`);
  }
  if (!isMap || !isCursorMap(value)) throw invalid('must be { [stream]: { epoch: string, seq: number } }');
  if (streams.length === 0) return undefined;
  const games = streams.filter(isOfAGame).length;
  if (games > maxFollowed) {
    throw invalid(
      `are of the public streams of ${games} games; at most ${maxFollowed} can be followed at once`,
    );
  }
  return { cursors: value, isPartial: partial === true };
}

/** By hand: thousands of them take zod longer than anything else of a handshake. */
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

/** How a stream goes on for a client: after `seq`, and whether that is where its cursor stood. */
export interface Resumption extends Cursor {
  /** The stream's last event: what lies between is about to be replayed. */
  latest: number;
  recovered: boolean;
}

export interface CatchUpParts {
  db: Database;
  details: SessionDetails;
  push: Push;
  turns: Turns;
  /** The ids of the games whose public streams the socket follows; those its cursors name are added. */
  followed: Set<string>;
  send(event: StreamEvent, late?: boolean): void;
  /** Resolves when the socket has room for more. */
  drained(): Promise<void>;
  /** Resolves when everything committed before the call has been offered to every socket. */
  flushed(): Promise<void>;
}

/**
 * Brings one socket up to date: what it missed by its cursors, notifications that waited for it, then what
 * happened meanwhile, with no gap and no change of order before it goes live. From construction on it holds
 * back every event offered to it, so whatever is written after the positions were read is not lost.
 */
export class CatchUp {
  readonly #db: Database;
  readonly #details: SessionDetails;
  readonly #listener: Listener;
  readonly #push: Push;
  readonly #parts: CatchUpParts;
  #held: StoredEvent[] = [];
  #heldSize = 0;
  #overflowed = false;
  #cancelled = false;
  /** How far the socket has been brought, by stream. */
  readonly #reached = new Map<string, number>();
  #resumptions: Record<string, Resumption> = {};

  constructor(parts: CatchUpParts) {
    this.#parts = parts;
    this.#db = parts.db;
    this.#details = parts.details;
    this.#listener = listenerOf(parts.details);
    this.#push = parts.push;
    this.#push.hold(this);
  }

  /** Takes an event that has just happened, if the socket is to hear of it. */
  offer(event: StoredEvent, size: number): void {
    if (this.#overflowed || !isFor(event.audience, this.#listener, this.#parts.followed)) return;
    this.#held.push(event);
    this.#heldSize += size;
    if (this.#held.length <= maxHeld && this.#heldSize <= maxHeldSize) return;
    this.#held = [];
    this.#overflowed = true;
  }

  /** Says from where a stream is told that began to be followed since `prepare`. */
  startAfter(stream: string, seq: number): void {
    if (!this.#reached.has(stream)) this.#reached.set(stream, seq);
  }

  /** Reads where every stream stands, and where the client's cursors allow it to go on from. */
  async prepare(heard: HeardStreams | undefined): Promise<Record<string, Resumption>> {
    const epoch = await this.#db.read(readEpoch);
    const ofGames = Object.keys(heard?.cursors ?? {}).filter(isOfAGame);
    await Promise.all(ofGames.map((stream) => this.#followAgain(stream)));
    for (const position of await this.#positions()) {
      const resumption = resume(position, heard, epoch);
      this.#resumptions[position.stream] = resumption;
      this.#reached.set(position.stream, resumption.seq);
    }
    return this.#resumptions;
  }

  /**
   * Sends what was missed, and resolves once nothing is missing. `goLive` is called in the same turn in
   * which the last held event was sent, so that nothing falls between.
   */
  async run(goLive: () => void): Promise<void> {
    await this.#sendWaiting();
    do {
      this.#overflowed = false;
      this.#heldSize = 0;
      await this.#replay();
      // What was read may be on its way here as well: were it to come after going live, it would come twice.
      await this.#parts.flushed();
      while (this.#held.length > batchSize && !this.#cancelled) {
        await this.#send(this.#held.splice(0, batchSize));
      }
    } while (this.#overflowed && !this.#cancelled);
    if (this.#cancelled) return;
    this.#sendNow(this.#held);
    goLive();
    this.cancel();
  }

  /** Lets go: the socket is gone, or has gone live. */
  cancel(): void {
    this.#cancelled = true;
    this.#held = [];
    this.#reached.clear();
    this.#resumptions = {};
    this.#push.release(this);
  }

  /** A cursor into a game's public stream says that the client followed it; it does so again, if there is one. */
  async #followAgain(stream: string): Promise<void> {
    const gameId = stream.slice(streamOf.game('').length);
    const { game } = this.#details;
    const mayFollow =
      gameId === game.id || (game.kind === 'launcher' && (await this.#db.read(findGame, gameId)) !== null);
    if (mayFollow) this.#parts.followed.add(gameId);
  }

  async #positions(): Promise<StreamPosition[]> {
    const followed = [...this.#parts.followed].map((gameId) =>
      this.#db.read(streamPosition, streamOf.game(gameId)),
    );
    return [...(await this.#read(streamPositions, this.#listener)), ...(await Promise.all(followed))];
  }

  /** All of them, as fast as the socket takes them. */
  async #sendWaiting(): Promise<void> {
    let last: StoredEvent<NotificationRecord> | undefined;
    do {
      const waiting = await this.#read(listUndelivered, this.#listener, batchSize, last);
      await this.#sendLate(waiting);
      last = waiting.length === batchSize ? waiting.at(-1) : undefined;
    } while (last && !this.#cancelled);
  }

  /** Notifications nobody was there for. Those the replay is going to bring are left to it. */
  async #sendLate(waiting: readonly StoredEvent<NotificationRecord>[]): Promise<void> {
    const late = waiting.filter((event) => event.seq <= (this.#reached.get(event.stream) ?? 0));
    if (late.length === 0 || this.#cancelled) return;
    for (const event of late) this.#parts.send(event, true);
    this.#push.markDelivered(late.map((event) => event.record._id));
    await this.#parts.drained();
  }

  async #replay(): Promise<void> {
    for (const { stream, seq, since } of await this.#positions()) {
      if (isOfAGame(stream) && !this.#reached.has(stream)) continue; // being followed just now, see `startAfter`
      let reached = Math.max(this.#reached.get(stream) ?? since, since);
      while (reached < seq && !this.#cancelled) {
        // Not beyond `seq`: what was written since is held, if this player is still to hear it.
        const events = await this.#read(eventsOfStream, stream, reached, Math.min(batchSize, seq - reached));
        const last = events.at(-1);
        if (!last || this.#cancelled) break;
        reached = last.seq;
        await this.#send(events);
      }
    }
  }

  #read<Args extends unknown[], Result>(query: Query<Args, Result>, ...args: Args): Promise<Result> {
    return this.#parts.turns.take(() => this.#db.read(query, ...args));
  }

  /** Sends a few, and resolves when the socket has room for more. */
  async #send(events: readonly StreamEvent[]): Promise<void> {
    this.#sendNow(events);
    await this.#parts.drained();
  }

  #sendNow(events: readonly StreamEvent[]): void {
    const fresh = events.filter(({ stream, seq }) => seq > (this.#reached.get(stream) ?? 0));
    for (const event of fresh) {
      this.#parts.send(event);
      this.#reached.set(event.stream, event.seq);
    }
    this.#push.markDelivered(fresh.filter(isNotification).map((event) => event.record._id));
  }
}

/**
 * Where a stream goes on for a client. A cursor is good when it is into this history, not ahead of it, and
 * everything behind it is still kept. A client that has cursors but none for this stream came to hear it
 * while it was away, and gets it from there, unless it says that it has left cursors out. A client without any starts now.
 */
function resume(position: StreamPosition, heard: HeardStreams | undefined, epoch: string): Resumption {
  const { stream, seq, firstSeq, since } = position;
  const given = heard && Object.hasOwn(heard.cursors, stream) ? heard.cursors[stream] : undefined;
  const from = given ? Math.max(given.seq, since) : since;
  const known = given ? given.epoch === epoch && given.seq <= seq : heard?.isPartial === false;
  const recovered = known && from >= firstSeq - 1;
  return { epoch, seq: recovered ? from : seq, latest: seq, recovered };
}

function isOfAGame(stream: string): boolean {
  return stream.startsWith(streamOf.game(''));
}
