import { recordIn } from '../../core/events/event.ts';
import {
  type Audience,
  type EventMeta,
  type EventText,
  type Listener,
  type SessionsAudience,
  type Signal,
  type StoredEvent,
  streamOf,
} from '../../core/events/stream.ts';
import type { Store } from '../../core/storage/store.ts';
import { skippedEvent } from '../../features/events/skipped-event.ts';
import { markDelivered } from '../../features/notifications/commands.ts';
import { notificationCreated } from '../../features/notifications/events.ts';
import { type GameStats, gameStatsPatched } from '../../features/playtime/events.ts';
import type { SessionDetails } from '../../features/sessions/channel-session.ts';
import { gameChannelPatched } from '../../features/sessions/events.ts';
import { terminate } from '../../runtime/internals/engine-io.ts';
import { sendEvents } from '../../runtime/internals/engine-output.ts';
import { eventFrame } from '../../runtime/internals/websocket-frames.ts';
import { type BroadcastDependencies, Broadcasts } from './broadcasts.ts';

/** Socket.IO would wait half a minute for a client that does not complete the close. */
const closeTimeoutMs = 3_000;
/** Lets the answer of the call that ended a session be sent before its socket is closed. */
const disconnectDelayMs = 200;

const nobody: ReadonlySet<string> = new Set();

export interface PushDependencies extends BroadcastDependencies {
  db: Pick<Store, 'write'>;
}

/** A socket that is catching up: it buffers its own events until it goes live. */
export interface CatchingUpSocket {
  readonly sessionId: string;
  offer(event: StoredEvent): void;
}

/** Delivers events to the sockets of this node, in the given order. */
export class Push {
  readonly #dependencies: PushDependencies;
  readonly #broadcasts: Broadcasts;
  readonly #catchingUp = new Set<CatchingUpSocket>();

  constructor(dependencies: PushDependencies) {
    this.#dependencies = dependencies;
    this.#broadcasts = new Broadcasts(dependencies);
  }

  /** Offers every event to a socket that is catching up, until `release`. */
  hold(socket: CatchingUpSocket): void {
    this.#catchingUp.add(socket);
  }

  release(socket: CatchingUpSocket): void {
    this.#catchingUp.delete(socket);
  }

  events(events: readonly StoredEvent[]): void {
    const delivered: string[] = [];
    for (const event of events) {
      for (const socket of this.#catchingUp) socket.offer(event);
      this.#disconnectEndedSession(event);
      const { from, except } = hidden(event.audience);
      const hiddenFrom = this.#socketsIn(from, except);
      if (hiddenFrom.size > 0) this.#send(hiddenFrom, eventText({ ...event, ...skippedEvent }));
      const receivers = this.#socketsIn(roomsFor(event.audience));
      if (receivers.size === 0) continue;
      this.#send(receivers, eventText(event));
      const notification = recordIn(event, notificationCreated);
      if (notification) delivered.push(notification._id);
    }
    this.markDelivered(delivered);
  }

  signal({ audience, name, record, stream, spreadsReads }: Signal): void {
    if (audience.kind === 'sessions') {
      const rooms = roomsOfSessions(audience);
      this.#broadcasts.add({ rooms, name, record, meta: { stream }, spreadsReads: spreadsReads === true });
      return;
    }
    const receivers = this.#socketsIn(roomsFor(audience));
    if (receivers.size > 0) this.#send(receivers, JSON.stringify([name, record, { stream }]));
  }

  /** Sends how many players play a game to who follows that; returns to how many. */
  gameStats(record: GameStats): number {
    const receivers = this.#socketsIn([roomOf.statsFollowers(record.gameId)]);
    const meta = { stream: streamOf.game(record.gameId) };
    if (receivers.size > 0) this.#send(receivers, JSON.stringify([gameStatsPatched.name, record, meta]));
    return receivers.size;
  }

  markDelivered(notificationIds: readonly string[]): void {
    if (notificationIds.length === 0) return;
    this.#dependencies.db.write(markDelivered, notificationIds).catch(this.#dependencies.report);
  }

  /** The ids of the sockets in these rooms, without those that are in others. */
  #socketsIn(rooms: readonly string[], except: readonly string[] = []): ReadonlySet<string> {
    const open = this.#dependencies.io.of('/').adapter.rooms;
    const ids = new Set<string>();
    for (const room of rooms) for (const id of open.get(room) ?? nobody) ids.add(id);
    for (const room of except) for (const id of open.get(room) ?? nobody) ids.delete(id);
    return ids;
  }

  /** Sends an event, the JSON array of its name and arguments, after what was sent to these sockets before. */
  #send(socketIds: ReadonlySet<string>, text: string): void {
    const { sockets } = this.#dependencies.io.of('/');
    const frame = eventFrame(text);
    for (const id of socketIds) {
      const socket = sockets.get(id);
      if (socket) sendEvents(socket.conn, [text], frame);
    }
  }

  #disconnectEndedSession(event: StoredEvent): void {
    const session = recordIn(event, gameChannelPatched);
    if (session && !session.exists) this.#disconnectSoon(session._id, performance.now() + closeTimeoutMs);
  }

  /** Closes the sockets of an ended session shortly after they were notified; those that catch up are notified last. */
  #disconnectSoon(sessionId: string, latestAt: number): void {
    const room = roomOfSession(sessionId);
    setTimeout(() => {
      const isCatchingUp = [...this.#catchingUp].some((socket) => socket.sessionId === sessionId);
      if (isCatchingUp && performance.now() < latestAt) {
        this.#disconnectSoon(sessionId, latestAt);
        return;
      }
      const { adapter, sockets } = this.#dependencies.io.of('/');
      const connections = [...(adapter.rooms.get(room) ?? [])].flatMap((id) => sockets.get(id)?.conn ?? []);
      this.#dependencies.io.local.in(room).disconnectSockets(true);
      setTimeout(() => connections.forEach(terminate), closeTimeoutMs).unref();
    }, disconnectDelayMs).unref();
  }
}

/** An event as clients get it: the JSON array of its name and arguments. */
function eventText(event: EventText): string {
  return eventTexts([event])[0] ?? '';
}

/**
 * Events as clients get them. Missed events come by the dozen from one stream with one name: what they share is encoded
 * once.
 */
export function eventTexts(events: readonly EventText[], isLate = false): string[] {
  let last: EventText | undefined;
  let head = '';
  let tail = '';
  return events.map((event) => {
    const { name, record, stream, epoch, seq } = event;
    if (name !== last?.name) head = `[${JSON.stringify(name)},`;
    if (stream !== last?.stream || epoch !== last.epoch) {
      const place: Pick<EventMeta, 'stream' | 'epoch'> = { stream, epoch };
      tail = `,${JSON.stringify(place).slice(0, -1)},"seq":`;
    }
    last = event;
    return `${head}${record}${tail}${seq}${isLate ? ',"late":true' : ''}}]`;
  });
}

/**
 * An event's recipients are determined at commit, from its audience: a socket is only in the rooms of its own player
 * and of the games it follows, never in one of a message channel it may have left.
 */
const roomOf = {
  player: (gameId: string, wallet: string) => `player ${gameId} ${wallet}`,
  /** A launcher's own session receives its player's events of every game. */
  launcher: (wallet: string) => `launcher ${wallet}`,
  launchers: 'launchers',
  /** All sessions of a game, or of a launcher; and of all games. */
  game: (gameId: string) => `game ${gameId}`,
  games: 'games',
  session: (sessionId: string) => `session ${sessionId}`,
  followers: (gameId: string) => `followers ${gameId}`,
  /** Follows only how many play the game. */
  statsFollowers: (gameId: string) => `stats ${gameId}`,
  /** Sessions of games that may know all friends of the player. */
  account: (wallet: string) => `account ${wallet}`,
  /** Sessions of a game that may know those who are in it; and the same of all such games. */
  friendsIn: (gameId: string, wallet: string) => `friends ${gameId} ${wallet}`,
  friends: (wallet: string) => `friends ${wallet}`,
};

export const roomOfSession = roomOf.session;
export const roomOfGame = roomOf.game;
export const roomOfFollowers = roomOf.followers;
export const roomOfStatsFollowers = roomOf.statsFollowers;

/** Whose events the sockets of a session receive. `isShown`: what `showsPlayer` says of it; `friendsScope` asks the same. */
export function listenerOf({ session, game }: SessionDetails, isShown: boolean): Listener {
  const isLauncher = game.kind === 'launcher';
  return {
    wallet: session.wallet,
    gameId: isLauncher ? null : game.id,
    friends: isLauncher ? 'all' : isShown ? game.policies.friends : 'none',
  };
}

/** The rooms of a listener's own events. */
export function roomsOfListener({ wallet, gameId, friends }: Listener): string[] {
  if (gameId === null) return [roomOf.launcher(wallet), roomOf.launchers];
  const own = [roomOf.player(gameId, wallet), roomOf.games];
  if (friends === 'all') return [...own, roomOf.account(wallet)];
  return friends === 'in-game' ? [...own, roomOf.friends(wallet), roomOf.friendsIn(gameId, wallet)] : own;
}

function roomsOfSessions({ gameId, launchers }: SessionsAudience): string[] {
  const games = gameId === null ? roomOf.games : roomOf.game(gameId);
  return launchers ? [games, roomOf.launchers] : [games];
}

/** The rooms an event is sent to. */
function roomsFor(audience: Audience): string[] {
  if (audience.kind === 'game') return [roomOf.followers(audience.gameId)];
  if (audience.kind === 'players') {
    const { gameId, wallets, inGameOnly } = audience;
    return inGameOnly ? wallets.map((wallet) => roomOf.player(gameId, wallet)) : roomsOf(gameId, wallets);
  }
  const { wallet, inGames } = audience;
  if (inGames === null) return [roomOf.launcher(wallet)];
  return [
    roomOf.launcher(wallet),
    roomOf.account(wallet),
    ...inGames.map((gameId) => roomOf.friendsIn(gameId, wallet)),
  ];
}

/** The rooms an event is hidden from, except sockets that are in others; they receive `skippedEvent` instead. */
function hidden(audience: Audience): { from: string[]; except: string[] } {
  if (audience.kind === 'account') {
    const { wallet, inGames } = audience;
    if (inGames === null) return { from: [roomOf.account(wallet), roomOf.friends(wallet)], except: [] };
    return {
      from: [roomOf.friends(wallet)],
      except: inGames.map((gameId) => roomOf.friendsIn(gameId, wallet)),
    };
  }
  if (audience.kind === 'game') return { from: [], except: [] };
  const { gameId, wallets, hiddenFrom = [], inGameOnly } = audience;
  const launchers = inGameOnly ? wallets.map(roomOf.launcher) : [];
  return { from: [...roomsOf(gameId, hiddenFrom), ...launchers], except: [] };
}

function roomsOf(gameId: string, wallets: readonly string[]): string[] {
  const rooms: string[] = [];
  for (const wallet of wallets) rooms.push(roomOf.player(gameId, wallet), roomOf.launcher(wallet));
  return rooms;
}

/**
 * Whether a listener who follows these games is in an audience, or an event is hidden from it: then it receives
 * `skippedEvent`.
 */
export function isFor(
  audience: Audience,
  { wallet, gameId, friends = 'none' }: Listener,
  followed: ReadonlySet<string>,
): boolean {
  if (audience.kind === 'game') return followed.has(audience.gameId);
  if (audience.kind === 'account') return audience.wallet === wallet && friends !== 'none';
  if (gameId !== null && gameId !== audience.gameId) return false;
  return audience.wallets.includes(wallet) || audience.hiddenFrom?.includes(wallet) === true;
}

/** An event as a listener in its audience receives it. */
export function asSeenBy(event: StoredEvent, listener: Listener): StoredEvent {
  const { audience } = event;
  const isHidden =
    audience.kind === 'account' ? !knowsOf(listener, audience.inGames) : isHiddenFrom(audience, listener);
  return isHidden ? { ...event, ...skippedEvent } : event;
}

/** Whether a listener may know of a player who is in these games. */
function knowsOf({ gameId, friends }: Listener, inGames: readonly string[] | null): boolean {
  if (gameId === null) return true;
  return inGames !== null && (friends === 'all' || inGames.includes(gameId));
}

function isHiddenFrom(audience: Audience, { wallet, gameId }: Listener): boolean {
  if (audience.kind !== 'players') return false;
  return audience.hiddenFrom?.includes(wallet) === true || (audience.inGameOnly === true && gameId === null);
}
