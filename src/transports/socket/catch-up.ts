import type { Socket } from 'socket.io';
import { z } from 'zod';
import { GantryError } from '../../errors.ts';
import { type Cursor, type StoredEvent, streamOf } from '../../events/stream.ts';
import type { Listener, SessionDetails, Store, StreamStanding } from '../../store/store.ts';
import { isNotification, Push } from './push.ts';
import { isFor, listenerOf } from './rooms.ts';
import { drained } from './slow-readers.ts';

/** How many events are read from the store at a time. */
const pageSize = 200;
/** How many are sent before the socket is given time to take them: even of the longest, less than `slow-readers` allow. */
const sentAtOnce = 20;
/** The most events kept in memory for a socket that is catching up; beyond that they are read again. */
const maximumHeld = 1_000;
/** A client has one cursor a stream it hears; more than this is no client of ours. */
const maximumCursors = 5_000;
/** The games whose public streams a connection may follow at once: each costs a look at a leaderboard. */
export const maximumFollowed = 100;

const cursorMap = z.record(z.string().max(200), z.object({ epoch: z.string().max(64), seq: z.int().min(0) }));
export type CursorMap = z.infer<typeof cursorMap>;

/**
 * What the handshake carries as `auth.cursors`, if anything.
 * @throws GantryError `cursors_invalid`
 */
export function readCursors(value: unknown): CursorMap | undefined {
  if (value === undefined || value === null) return undefined;
  const result = cursorMap.safeParse(value);
  if (!result.success) throw invalid('must be { [stream]: { epoch: string, seq: number } }');
  const streams = Object.keys(result.data);
  if (streams.length > maximumCursors) {
    throw invalid(`are of ${streams.length} streams; at most ${maximumCursors} are taken`);
  }
  const games = streams.filter(isOfAGame).length;
  if (games > maximumFollowed) {
    throw invalid(
      `are of the public streams of ${games} games; at most ${maximumFollowed} can be followed at once`,
    );
  }
  return result.data;
}

function invalid(what: string): GantryError {
  return new GantryError('cursors_invalid', `auth.cursors ${what}. Connect without, and load anew`);
}

/** How a stream goes on for a client: after `seq`, and whether that is where its cursor stood. */
export interface Resumption extends Cursor {
  /** The stream's last event: what lies between is about to be replayed. */
  latest: number;
  recovered: boolean;
}

/**
 * Brings one socket up to date: what it missed by its cursors, notifications that waited for it, then what
 * happened meanwhile, with no gap and no change of order before it goes live. From construction on it holds
 * back every event offered to it, so whatever is written after the standings were read is not lost.
 */
export class CatchUp {
  readonly followed = new Set<string>();
  readonly #store: Store;
  readonly #details: SessionDetails;
  readonly #listener: Listener;
  readonly #push: Push;
  readonly #allPassedOn: () => Promise<void>;
  #held: StoredEvent[] = [];
  #overflowed = false;
  #cancelled = false;
  /** How far the socket has been brought, by stream. */
  readonly #reached = new Map<string, number>();
  #resumptions: Record<string, Resumption> = {};

  /** `allPassedOn` resolves when everything committed before the call has been offered to whoever is connected. */
  constructor(parts: {
    store: Store;
    details: SessionDetails;
    push: Push;
    allPassedOn(): Promise<void>;
  }) {
    this.#allPassedOn = parts.allPassedOn;
    this.#store = parts.store;
    this.#details = parts.details;
    this.#listener = listenerOf(parts.details);
    this.#push = parts.push;
    this.#push.hold(this);
  }

  /** Takes an event that has just happened, if the socket is to hear of it. */
  offer(event: StoredEvent): void {
    if (this.#overflowed || !isFor(event.audience, this.#listener, this.followed)) return;
    this.#held.push(event);
    if (this.#held.length <= maximumHeld) return;
    this.#held = [];
    this.#overflowed = true;
  }

  /** Says from where a stream is told that began to be followed since `prepare`. */
  startAfter(stream: string, seq: number): void {
    if (!this.#reached.has(stream)) this.#reached.set(stream, seq);
  }

  /** Reads where every stream stands, and where the client's cursors allow it to go on from. */
  async prepare(cursors: CursorMap | undefined): Promise<Record<string, Resumption>> {
    const epoch = await this.#store.events.epoch();
    await Promise.all(Object.keys(cursors ?? {}).map((stream) => this.#followAgain(stream)));
    for (const standing of await this.#standings()) {
      const resumption = resume(standing, cursors, epoch);
      this.#resumptions[standing.stream] = resumption;
      this.#reached.set(standing.stream, resumption.seq);
    }
    return this.#resumptions;
  }

  /**
   * Sends what was missed, and resolves once nothing is missing. `goLive` is called in the same turn in
   * which the last held event was sent, so that nothing falls between.
   */
  async run(socket: Socket, goLive: () => void): Promise<void> {
    await this.#sendWaiting(socket);
    do {
      this.#overflowed = false;
      await this.#replay(socket);
      // What was read may be on its way here as well: were it to come after going live, it would come twice.
      await this.#allPassedOn();
      while (this.#held.length > sentAtOnce && !this.#cancelled) {
        await this.#send(socket, this.#held.splice(0, sentAtOnce));
      }
    } while (this.#overflowed && !this.#cancelled);
    if (this.#cancelled) return;
    this.#sendNow(socket, this.#held);
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
    if (!isOfAGame(stream)) return;
    const gameId = stream.slice(streamOf.game('').length);
    const { game } = this.#details;
    const mayFollow =
      gameId === game.id || (game.kind === 'launcher' && (await this.#store.games.find(gameId)) !== null);
    if (mayFollow) this.followed.add(gameId);
  }

  async #standings(): Promise<StreamStanding[]> {
    const followed = [...this.followed].map((gameId) => this.#store.events.standing(streamOf.game(gameId)));
    return [...(await this.#store.events.standings(this.#listener)), ...(await Promise.all(followed))];
  }

  /** All of them, as fast as the socket takes them. */
  async #sendWaiting(socket: Socket): Promise<void> {
    let last: StoredEvent<'notifications created'> | undefined;
    do {
      const waiting = await this.#store.notifications.undelivered(this.#listener, pageSize, last);
      await this.#sendLate(socket, waiting);
      last = waiting.length === pageSize ? waiting.at(-1) : undefined;
    } while (last && !this.#cancelled);
  }

  /** Notifications nobody was there for. Those the replay is going to bring are left to it. */
  async #sendLate(socket: Socket, waiting: readonly StoredEvent<'notifications created'>[]): Promise<void> {
    const late = waiting.filter((event) => event.seq <= (this.#reached.get(event.stream) ?? 0));
    while (late.length > 0 && !this.#cancelled) {
      const some = late.splice(0, sentAtOnce);
      for (const event of some) Push.toSocket(socket, event, true);
      this.#push.markDelivered(some.map((event) => event.record._id));
      await drained(socket);
    }
  }

  async #replay(socket: Socket): Promise<void> {
    for (const { stream, seq, since } of await this.#standings()) {
      if (isOfAGame(stream) && !this.#reached.has(stream)) continue; // being followed just now, see `startAfter`
      let reached = Math.max(this.#reached.get(stream) ?? since, since);
      while (reached < seq && !this.#cancelled) {
        // Not beyond `seq`: what was written since is held, if this player is still to hear it.
        const events = await this.#store.events.ofStream(stream, reached, Math.min(pageSize, seq - reached));
        const last = events.at(-1);
        if (!last) break;
        while (events.length > 0 && !this.#cancelled) await this.#send(socket, events.splice(0, sentAtOnce));
        reached = last.seq;
      }
    }
  }

  /** Sends a few, and resolves when the socket has room for more. */
  async #send(socket: Socket, events: readonly StoredEvent[]): Promise<void> {
    this.#sendNow(socket, events);
    await drained(socket);
  }

  #sendNow(socket: Socket, events: readonly StoredEvent[]): void {
    const fresh = events.filter(({ stream, seq }) => seq > (this.#reached.get(stream) ?? 0));
    for (const event of fresh) {
      Push.toSocket(socket, event);
      this.#reached.set(event.stream, event.seq);
    }
    this.#push.markDelivered(fresh.filter(isNotification).map((event) => event.record._id));
  }
}

/**
 * Where a stream goes on for a client. A cursor is good when it is into this history, not ahead of it, and
 * everything behind it is still kept. A client that has cursors but none for this stream came to hear it
 * while it was away, and gets it from there. A client without any starts now.
 */
function resume(standing: StreamStanding, cursors: CursorMap | undefined, epoch: string): Resumption {
  const { stream, seq, firstSeq, since } = standing;
  const given = cursors && Object.hasOwn(cursors, stream) ? cursors[stream] : undefined;
  const from = given ? Math.max(given.seq, since) : since;
  const known = given
    ? given.epoch === epoch && given.seq <= seq
    : cursors !== undefined && !isEmpty(cursors);
  const recovered = known && from >= firstSeq - 1;
  return { epoch, seq: recovered ? from : seq, latest: seq, recovered };
}

function isOfAGame(stream: string): boolean {
  return stream.startsWith(streamOf.game(''));
}

function isEmpty(cursors: CursorMap): boolean {
  return Object.keys(cursors).length === 0;
}
