import { setTimeout as delay } from 'node:timers/promises';
import { LocalPlayers } from '../../cluster/players/local-players.ts';
import type { StatusChoice, VisiblePlayer } from '../../cluster/players/player-part.ts';
import { PlayerReplica, tickMs } from '../../cluster/players/player-replica.ts';
import type { ReplicaBus } from '../../cluster/players/replica-bus.ts';
import { recordIn } from '../../core/events/event.ts';
import type { StoredEvent } from '../../core/events/stream.ts';
import type { Store } from '../../core/storage/store.ts';
import {
  friendCreated,
  friendPatched,
  friendPresencePatched,
  friendRemoved,
  privacyPatched,
} from '../../features/friends/events.ts';
import { toFriendPresence } from '../../features/friends/presence.ts';
import { friendWallets, privacyOf } from '../../features/friends/queries.ts';
import type { SessionDetails } from '../../features/sessions/channel-session.ts';
import { repeat } from '../../runtime/repeat.ts';
import type { EventBus } from './bus.ts';
import { type Following, type Outgoing, PlayerSocket } from './player-socket.ts';

/** Changes for one socket within this time are sent together. */
const batchMs = 250;
/** How often sockets whose time has come are served, and how many at most: 10,000 a second. */
const serveMs = 50;
const servedAtOnce = 500;
/** Length of a message to a socket, in characters, after which the rest waits for the next one. */
const maxMessageLength = 64 * 1024;
/** Friends of this many players are read at once. */
const readAtOnce = 50;
/** After an error, such as an unavailable database. */
const retryMs = 1_000;

export interface PresenceFeedOptions {
  db: Store;
  /** Null: this is the only node. */
  bus: EventBus | null;
  /** Identifies this node; new at each start. */
  nodeId: string;
  /** As in `ReplicaBus`. */
  isBusUp: ReplicaBus['isUp'];
  closedAmong: ReplicaBus['closedAmong'];
  /** As in `PlayerReplicaOptions`. */
  onGame?(wallet: string, gameId: string | null, isOwn: boolean): void;
  report(thrown: unknown): void;
}

/** What friends see of a player; one change has hundreds of receivers. */
interface ShownPlayer {
  readonly visible: VisiblePlayer | null;
  /** As sent, by the receiver's game: `values` are for sessions of the player's game only. */
  readonly texts: Map<string | null, string>;
}

/**
 * Sends players the presence of their friends. A change costs a read of the player's friends, and a look-up of each
 * among the sockets that follow; of what a socket has not been sent yet, only the last state is.
 */
export class PresenceFeed {
  readonly #options: PresenceFeedOptions;
  readonly #replica: PlayerReplica;
  readonly #local: LocalPlayers;
  /** The sockets that follow, by the player's wallet. */
  readonly #followers = new Map<string, Set<PlayerSocket>>();
  /** Players whose friends have not been told of a change. */
  readonly #changed = new Set<string>();
  /** Sockets with something to send, in the order in which their time comes. */
  readonly #waiting = new Set<PlayerSocket>();
  /** What is sent in this turn, by wallet. */
  readonly #shown = new Map<string, ShownPlayer>();
  readonly #stop = new AbortController();
  readonly #following: Following;
  #isTelling = false;
  #serving: NodeJS.Timeout | undefined;

  constructor(options: PresenceFeedOptions) {
    const { db, bus, nodeId, isBusUp, closedAmong, report } = options;
    this.#options = options;
    this.#replica = new PlayerReplica({
      nodeId,
      bus: bus && {
        isUp: isBusUp,
        closedAmong,
        send: (message) => bus.send({ kind: 'players', message }),
      },
      onChange: (wallet) => this.#tell(wallet),
      ...(options.onGame && { onGame: options.onGame }),
    });
    this.#local = new LocalPlayers({
      replica: this.#replica,
      now: () => db.now(),
      isShared: bus !== null,
      async shownOf(wallet) {
        const { presence, showGame } = await db.read(privacyOf, wallet);
        return { presence: presence === 'friends', game: showGame };
      },
      report,
    });
    this.#following = {
      local: this.#local,
      follow: (socket) => {
        const sockets = this.#followers.get(socket.wallet) ?? new Set();
        this.#followers.set(socket.wallet, sockets.add(socket));
      },
      unfollow: (socket) => {
        const sockets = this.#followers.get(socket.wallet);
        if (sockets?.delete(socket) && sockets.size === 0) this.#followers.delete(socket.wallet);
        this.#waiting.delete(socket);
      },
      queue: (socket) => this.#queue(socket),
      present: (wallet, gameId) =>
        toFriendPresence(wallet, this.#replica.visible(wallet), { gameId, now: db.now() }),
    };
    bus?.onMessage((message) => {
      if (message.kind === 'players') this.#replica.receive(message.message);
    });
    const { signal } = this.#stop;
    repeat(() => this.#replica.tick(), { everyMs: tickMs, firstMs: 0, signal, report });
  }

  /** A session's socket is live; its player comes online, with this status unless it is null. */
  connect(
    { session, game }: SessionDetails,
    status: Omit<StatusChoice, 'statusAt'> | null,
    outgoing: Outgoing,
  ): PlayerSocket {
    const played = game.kind === 'launcher' ? null : { id: game.id, name: game.name };
    return new PlayerSocket(session, played, status, outgoing, this.#following);
  }

  /** Takes note of changed friendships and privacy settings. */
  accept(events: readonly StoredEvent[]): void {
    for (const event of events) {
      const { audience } = event;
      if (audience.kind !== 'account') continue;
      const privacy = recordIn(event, privacyPatched);
      if (privacy) this.#local.refresh(privacy.normalizedAddress);
      const removed = recordIn(event, friendRemoved);
      const changed = removed ?? recordIn(event, friendCreated) ?? recordIn(event, friendPatched);
      if (changed?.state !== 'friend') continue;
      const { normalizedAddress, wallet } = changed;
      const inGames = audience.inGames ?? [];
      for (const socket of this.#followers.get(normalizedAddress) ?? []) {
        if (removed) socket.endFriendship(wallet);
        else socket.beginFriendship(wallet, inGames, this.#replica.visible(wallet) !== null);
      }
    }
  }

  /** Exchanges players with other nodes if the bus has just come back; the next tick would do it too. */
  catchUp(): void {
    this.#replica.tick();
  }

  /** What friends may see of a player; null: offline. */
  visible(wallet: string): VisiblePlayer | null {
    return this.#replica.visible(wallet);
  }

  /** The number of nodes that are known, with this one. */
  get nodes(): number {
    return this.#replica.nodeCount;
  }

  /** The number of players connected to this node, and of sockets that follow friends. */
  counts(): { players: number; followers: number } {
    let followers = 0;
    for (const sockets of this.#followers.values()) followers += sockets.size;
    return { players: this.#replica.ownCount, followers };
  }

  /** This node is about to close its sockets: other nodes keep its players for a moment, until they reconnect. */
  goodbye(): void {
    this.#local.close();
    this.#replica.goodbye();
  }

  close(): void {
    this.#stop.abort();
    this.#local.close();
    this.#waiting.clear();
    clearTimeout(this.#serving);
  }

  #tell(wallet: string): void {
    if (this.#followers.size === 0) return;
    this.#changed.add(wallet);
    if (this.#isTelling) return;
    this.#isTelling = true;
    this.#tellAll().catch(this.#options.report);
  }

  async #tellAll(): Promise<void> {
    while (this.#changed.size > 0 && !this.#stop.signal.aborted) {
      const wallets = [...this.#changed].slice(0, readAtOnce);
      for (const wallet of wallets) this.#changed.delete(wallet);
      try {
        await Promise.all(wallets.map((wallet) => this.#tellFriends(wallet)));
        await new Promise((resolve) => setImmediate(resolve)); // others run in between
      } catch (error) {
        if (!this.#stop.signal.aborted) this.#options.report(error);
        for (const wallet of wallets) this.#changed.add(wallet);
        await delay(retryMs, undefined, { ref: false });
      }
    }
    this.#isTelling = false;
  }

  async #tellFriends(wallet: string): Promise<void> {
    for (const friend of await this.#options.db.read(friendWallets, wallet)) {
      for (const socket of this.#followers.get(friend) ?? []) socket.mark(wallet);
    }
  }

  #queue(socket: PlayerSocket): void {
    socket.dueAt = performance.now() + batchMs;
    this.#waiting.add(socket);
    this.#serving ??= setTimeout(() => this.#serve(), serveMs).unref();
  }

  #serve(): void {
    this.#serving = undefined;
    const now = performance.now();
    let served = 0;
    for (const socket of this.#waiting) {
      if (socket.dueAt > now || served === servedAtOnce) break;
      served++;
      this.#waiting.delete(socket);
      // What a socket cannot take yet stays marked.
      if (!socket.isReady || this.#send(socket)) this.#queue(socket);
    }
    this.#shown.clear();
    if (this.#waiting.size > 0) this.#serving ??= setTimeout(() => this.#serve(), serveMs).unref();
  }

  /** Sends a socket what it waits for; true: there is more. */
  #send(socket: PlayerSocket): boolean {
    const friends: string[] = [];
    let length = 0;
    for (const [wallet, isFriend] of socket.takeMarked()) {
      const shown = isFriend ? this.#show(wallet) : { visible: null, texts: new Map() };
      if (isFriend && !socket.maySee(wallet, shown.visible)) continue;
      const text = this.#encode(wallet, shown, socket.gameId);
      friends.push(text);
      length += text.length;
      if (length > maxMessageLength) break;
    }
    if (friends.length > 0) {
      const meta = JSON.stringify({ stream: socket.stream });
      socket.send(`["${friendPresencePatched.name}",{"friends":[${friends.join(',')}]},${meta}]`);
    }
    return socket.isMarked;
  }

  #show(wallet: string): ShownPlayer {
    const known = this.#shown.get(wallet);
    if (known) return known;
    const shown = { visible: this.#replica.visible(wallet), texts: new Map() };
    this.#shown.set(wallet, shown);
    return shown;
  }

  #encode(wallet: string, { visible, texts }: ShownPlayer, gameId: string | null): string {
    const game = visible?.game?.id === gameId ? gameId : null;
    const known = texts.get(game);
    if (known !== undefined) return known;
    const text = JSON.stringify(
      toFriendPresence(wallet, visible, { gameId: game, now: this.#options.db.now() }),
    );
    texts.set(game, text);
    return text;
  }
}
