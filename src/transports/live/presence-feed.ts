import { LocalPlayers } from '../../cluster/players/local-players.ts';
import type { NewStatus, VisiblePlayer } from '../../cluster/players/player-part.ts';
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
import { joinTargetOf, toFriendPresence } from '../../features/friends/presence.ts';
import { friendsWhoBlock, friendWallets, privacyOf } from '../../features/friends/queries.ts';
import { playerBlocksPatched } from '../../features/messages/blocks/events.ts';
import type { SessionDetails } from '../../features/sessions/channel-session.ts';
import { repeat } from '../../runtime/repeat.ts';
import type { EventBus } from './bus.ts';
import { type Following, type Outgoing, PlayerSocket } from './player-socket.ts';
import { Worklist } from './worklist.ts';

/** Changes for one socket within this time are sent together; longer while many sockets wait, so that fewer messages are. */
const batchMs = 250;
const busyBatchMs = 600;
const manyWaiting = 200;
/** How often sockets whose time has come are served, and how many at most: 10,000 a second. */
const serveMs = 50;
const servedAtOnce = 500;
/** Length of a message to a socket, in characters, after which the rest waits for the next one. */
const maxMessageLength = 64 * 1024;

export interface PresenceFeedOptions {
  db: Store;
  /** Null: this is the only node. */
  bus: EventBus | null;
  /** Identifies this node; new at each start. */
  nodeId: string;
  /** As in `ReplicaBus`. */
  isBusUp: ReplicaBus['isUp'];
  /** Resolves with whether what was sent until now has reached the bus. Never rejects. */
  isBusAnswering(): Promise<boolean>;
  closedAmong: ReplicaBus['closedAmong'];
  /** As in `PlayerReplicaOptions`. */
  onGame?(wallet: string, gameId: string | null, isOwn: boolean): void;
  report(thrown: unknown): void;
}

/** What friends see of a player; one change has hundreds of receivers. */
interface ShownPlayer {
  readonly visible: VisiblePlayer | null;
  /** As sent, by what differs between receivers. */
  readonly texts: Map<string, string>;
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
  readonly #changed: Worklist;
  /** Players who have changed whom they block, and followers who may be blocked by other friends than before. */
  readonly #blockers: Worklist;
  readonly #blocked: Worklist;
  /** Sockets with something to send, unless they have ceased to follow, in the order in which their time comes. */
  readonly #waiting: PlayerSocket[] = [];
  /** What is sent in this turn, by wallet. */
  #shown = new Map<string, ShownPlayer>();
  readonly #stop = new AbortController();
  readonly #following: Following;
  #serving: NodeJS.Timeout | undefined;

  constructor(options: PresenceFeedOptions) {
    const { db, bus, nodeId, isBusUp, isBusAnswering, closedAmong, report } = options;
    const { signal } = this.#stop;
    this.#options = options;
    const worklist = (work: (wallet: string) => Promise<void>) => new Worklist({ work, signal, report });
    this.#changed = worklist(async (wallet) => {
      for (const socket of await this.#followingFriends(wallet)) socket.mark(wallet);
    });
    this.#blockers = worklist(async (wallet) => {
      for (const socket of await this.#followingFriends(wallet)) this.#blocked.add(socket.wallet);
    });
    this.#blocked = worklist((wallet) => this.#readBlocks(wallet));
    this.#replica = new PlayerReplica({
      nodeId,
      bus: bus && {
        isUp: isBusUp,
        closedAmong,
        send: (message) => bus.send({ kind: 'players', message }),
      },
      onChange: (wallet) => this.#tell(wallet),
      onGame: (wallet, gameId, isOwn) => {
        for (const socket of this.#followers.get(wallet) ?? []) socket.markOwn();
        options.onGame?.(wallet, gameId, isOwn);
      },
    });
    this.#local = new LocalPlayers({
      replica: this.#replica,
      now: () => db.now(),
      isBusAnswering: bus && isBusAnswering,
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
      },
      queue: (socket) => this.#queue(socket),
      present: (wallet, socket) => {
        const visible = this.#replica.visible(wallet);
        const isBlocked = socket.isBlockedBy(wallet, visible);
        return toFriendPresence(wallet, visible, { gameId: socket.gameId, now: db.now(), isBlocked });
      },
      chosen: (wallet) => {
        const { status, text } = this.#local.choiceOf(wallet);
        return { status, text };
      },
    };
    bus?.onMessage((message) => {
      if (message.kind === 'players') this.#replica.receive(message.message);
    });
    repeat(() => this.#replica.tick(), { everyMs: tickMs, firstMs: 0, signal, report });
  }

  /** A session's socket is live; its player comes online, with this status unless it is null, if it shows the player. */
  connect(
    { session, game }: SessionDetails,
    { status, isShown }: { status: NewStatus | null; isShown: boolean },
    outgoing: Outgoing,
  ): PlayerSocket {
    const played = game.kind === 'launcher' ? null : { id: game.id, name: game.name };
    const connection = isShown ? this.#local.connect(session.wallet, played, status) : null;
    return new PlayerSocket(session, played?.id ?? null, connection, outgoing, this.#following);
  }

  /** Takes note of changed friendships, blocks and privacy settings. */
  accept(events: readonly StoredEvent[]): void {
    for (const event of events) {
      const blocker = recordIn(event, playerBlocksPatched);
      if (blocker && this.#followers.size > 0) this.#blockers.add(blocker.normalizedAddress);
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
      // The new friend may block the player in a game.
      if (!removed && this.#followers.has(normalizedAddress)) this.#blocked.add(normalizedAddress);
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

  /** Whether a player has chosen to appear offline: is invisible, or connected and shown to nobody. */
  isHiding(wallet: string): boolean {
    if (this.#replica.choiceOf(wallet).status === 'invisible') return true;
    return this.#replica.onlineSince(wallet) !== null && this.#replica.visible(wallet) === null;
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
    this.#waiting.length = 0;
    clearTimeout(this.#serving);
  }

  #tell(wallet: string): void {
    if (this.#followers.size > 0) this.#changed.add(wallet);
  }

  /** The sockets of a player's friends that follow. */
  async #followingFriends(wallet: string): Promise<PlayerSocket[]> {
    const friends = await this.#options.db.read(friendWallets, wallet);
    return friends.flatMap((friend) => [...(this.#followers.get(friend) ?? [])]);
  }

  /**
   * Reads which friends block a follower. Only those are sent again whom the follower could join before, or can now: a
   * message without a change would tell of a block.
   */
  async #readBlocks(follower: string): Promise<void> {
    const blocking = await this.#options.db.read(friendsWhoBlock, follower);
    for (const socket of this.#followers.get(follower) ?? []) {
      for (const { wallet, gameId } of socket.setBlocking(blocking)) {
        if (joinTargetOf(this.#replica.visible(wallet))?.gameId === gameId) socket.mark(wallet);
      }
    }
  }

  #queue(socket: PlayerSocket): void {
    if (socket.isWaiting) return;
    socket.isWaiting = true;
    socket.dueAt = performance.now() + (this.#waiting.length < manyWaiting ? batchMs : busyBatchMs);
    this.#waiting.push(socket);
    this.#serving ??= setTimeout(() => this.#serve(), serveMs).unref();
  }

  #serve(): void {
    this.#serving = undefined;
    const now = performance.now();
    let due = 0;
    while (due < servedAtOnce && (this.#waiting[due]?.dueAt ?? Number.POSITIVE_INFINITY) <= now) due++;
    for (const socket of this.#waiting.splice(0, due)) {
      socket.isWaiting = false;
      // What a socket cannot take yet stays marked.
      if (socket.isMarked && (!socket.isReady || this.#send(socket))) this.#queue(socket);
    }
    this.#shown = new Map();
    if (this.#waiting.length > 0) this.#serving ??= setTimeout(() => this.#serve(), serveMs).unref();
  }

  /** Sends a socket what it waits for; true: there is more. */
  #send(socket: PlayerSocket): boolean {
    const own = socket.takeOwn();
    const friends: string[] = [];
    let length = 0;
    for (const [wallet, isFriend] of socket.takeMarked()) {
      const shown = isFriend ? this.#show(wallet) : { visible: null, texts: new Map() };
      if (isFriend && !socket.maySee(wallet, shown.visible)) continue;
      const text = this.#encode(wallet, shown, socket);
      friends.push(text);
      length += text.length;
      if (length > maxMessageLength) break;
    }
    if (friends.length > 0 || own !== null) {
      const meta = JSON.stringify({ stream: socket.stream });
      const ofOwn = own === null ? '' : `,"own":${own}`;
      socket.send(`["${friendPresencePatched.name}",{"friends":[${friends.join(',')}]${ofOwn}},${meta}]`);
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

  #encode(wallet: string, { visible, texts }: ShownPlayer, socket: PlayerSocket): string {
    // `values` are for sessions of the friend's game only.
    const gameId = visible?.game?.id === socket.gameId ? socket.gameId : null;
    const isBlocked = socket.isBlockedBy(wallet, visible);
    const key = `${gameId} ${isBlocked}`;
    const known = texts.get(key);
    if (known !== undefined) return known;
    const shown = { gameId, now: this.#options.db.now(), isBlocked };
    const text = JSON.stringify(toFriendPresence(wallet, visible, shown));
    texts.set(key, text);
    return text;
  }
}
