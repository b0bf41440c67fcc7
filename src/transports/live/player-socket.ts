import type { LocalPlayers, PlayerConnection } from '../../cluster/players/local-players.ts';
import type { NewStatus, RichPresence, VisiblePlayer } from '../../cluster/players/player-part.ts';
import { streamOf } from '../../core/events/stream.ts';
import type {
  FollowedPresence,
  FriendPresence,
  FriendsToFollow,
  OwnPresence,
  OwnStatus,
} from '../../features/friends/presence.ts';
import type { BlockingFriend } from '../../features/friends/queries.ts';
import type { ChannelSession } from '../../features/sessions/channel-session.ts';

/** How messages leave a socket. */
export interface Outgoing {
  /** Sends an event, given as the JSON array of its name and arguments. */
  send(event: string): void;
  /** Whether the client has much left to read. */
  isBacklogged(): boolean;
}

/** What all sockets of a node share. */
export interface Following {
  local: LocalPlayers;
  follow(socket: PlayerSocket): void;
  unfollow(socket: PlayerSocket): void;
  /** Something is marked: sends it soon. */
  queue(socket: PlayerSocket): void;
  /** What a socket shows of a friend. */
  present(wallet: string, socket: PlayerSocket): FriendPresence;
  /** The status that a player has chosen. */
  chosen(wallet: string): OwnStatus;
}

/** A session's socket: a connection of its player, which can follow the presence of friends. */
export class PlayerSocket implements OwnPresence {
  readonly sessionId: string;
  /** The game whose session it is; null: a launcher's. */
  readonly gameId: string | null;
  /** When what is marked is to be sent, by the monotonic clock, while the socket waits for that. */
  dueAt = 0;
  isWaiting = false;
  readonly wallet: string;
  /** Null: the socket does not show its player to others, and what it says of the player has no effect. */
  readonly #connection: PlayerConnection | null;
  readonly #outgoing: Outgoing;
  readonly #following: Following;
  #isFollowing = false;
  /**
   * Friends to send, and whether they are friends still; null: none. Each message has a new map: V8 links the tables of
   * one that is emptied and filled again, so that after one of them all later ones survive until the whole heap is
   * collected, which then happens several times a minute.
   */
  #marked: Map<string, boolean> | null = null;
  /** The player's own status may have changed. */
  #isOwnMarked = false;
  /** The player's own status as last sent, as JSON. */
  #toldOwn = '';
  /** As in `FriendsToFollow`. */
  #visible: Set<string> | null = null;
  /** Friends removed since it follows: changes of theirs may still be on their way. */
  #removed: Set<string> | null = null;
  /** As in `FriendsToFollow`; null: not read yet since the socket follows. */
  #blocking: readonly BlockingFriend[] | null = null;
  /** Counts calls of `follow`; the answer of one that was overtaken changes nothing. */
  #follows = 0;
  #isReading = false;

  constructor(
    { id, wallet }: ChannelSession,
    gameId: string | null,
    connection: PlayerConnection | null,
    outgoing: Outgoing,
    following: Following,
  ) {
    this.sessionId = id;
    this.gameId = gameId;
    this.wallet = wallet;
    this.#outgoing = outgoing;
    this.#following = following;
    this.#connection = connection;
  }

  get stream(): string {
    return streamOf.account(this.wallet);
  }

  setStatus(status: NewStatus): Promise<void> {
    return this.#following.local.choose(this.wallet, status);
  }

  setCurrentGame(game: { id: string; name: string } | null): void {
    if (this.#connection) this.#following.local.openGame(this.wallet, this.#connection, game);
  }

  setRichPresence(rich: RichPresence | null): void {
    if (this.#connection) this.#following.local.describe(this.wallet, this.#connection, rich);
  }

  async follow(read: () => Promise<FriendsToFollow>): Promise<FollowedPresence> {
    const turn = ++this.#follows;
    this.#isFollowing = true;
    this.#removed = null;
    this.#blocking = null;
    this.#isReading = true;
    this.#following.follow(this); // before the read, so that no change is missed
    try {
      const found = await read();
      if (turn === this.#follows) {
        this.#visible = found.visible && new Set(found.visible);
        this.#blocking ??= found.blocking; // what was read because of a change meanwhile is newer
      }
      // In the same turn as the answer is sent: what is sent later is newer, and what was sent before is not.
      const friends = this.#snapshot(found);
      if (this.gameId !== null) return { friends };
      const own = this.#following.chosen(this.wallet);
      this.#toldOwn = JSON.stringify(own);
      return { friends, own };
    } catch (refused) {
      if (turn === this.#follows) this.unfollow();
      throw refused;
    } finally {
      if (turn === this.#follows) this.#isReading = false;
    }
  }

  #snapshot({ friends, visible }: FriendsToFollow): FriendPresence[] {
    const online: FriendPresence[] = [];
    for (const wallet of friends) {
      if (this.#removed?.has(wallet)) continue;
      const presence = this.#following.present(wallet, this);
      if (visible !== null && !visible.has(wallet) && presence.gameId !== this.gameId) continue;
      this.#visible?.add(wallet);
      this.#marked?.delete(wallet);
      if (presence.status !== 'offline') online.push(presence);
    }
    return online;
  }

  unfollow(): void {
    this.#follows++;
    this.#isFollowing = false;
    this.#marked = null;
    this.#isOwnMarked = false;
    this.#visible = null;
    this.#removed = null;
    this.#blocking = null;
    this.#isReading = false;
    this.#following.unfollow(this);
  }

  /** Call this when the socket is closed. */
  close(): void {
    this.unfollow();
    if (this.#connection) this.#following.local.disconnect(this.wallet, this.#connection);
  }

  /** The presence of a friend has changed. */
  mark(wallet: string): void {
    if (!this.#isFollowing || this.#removed?.has(wallet)) return;
    this.#mark(wallet, true);
  }

  /** The player's own status may have changed: a launcher is told it. */
  markOwn(): void {
    if (!this.#isFollowing || this.gameId !== null) return;
    this.#isOwnMarked = true;
    this.#following.queue(this);
  }

  #mark(wallet: string, isFriend: boolean): void {
    if (!this.isMarked) this.#following.queue(this);
    this.#marked ??= new Map();
    this.#marked.set(wallet, isFriend);
  }

  /** A friend whom the player can see from now on; `inGames` are the games that the friend is in. */
  beginFriendship(wallet: string, inGames: readonly string[], isOnline: boolean): void {
    this.#removed?.delete(wallet);
    if (this.gameId !== null && inGames.includes(this.gameId)) this.#visible?.add(wallet);
    if (isOnline) this.mark(wallet);
  }

  endFriendship(wallet: string): void {
    if (!this.#isFollowing) return;
    const isVisible = this.#isReading || this.#visible === null || this.#visible.has(wallet);
    this.#removed = (this.#removed ?? new Set()).add(wallet);
    this.#visible?.delete(wallet);
    if (isVisible) this.#mark(wallet, false);
    else this.#marked?.delete(wallet);
  }

  /** Who blocks the player in a game now. @returns those that have begun or ceased to */
  setBlocking(blocking: readonly BlockingFriend[]): BlockingFriend[] {
    const before = this.#blocking ?? [];
    this.#blocking = blocking;
    return [...without(blocking, before), ...without(before, blocking)];
  }

  /** Whether a friend blocks the player in the game that the friend has open. */
  isBlockedBy(wallet: string, player: VisiblePlayer | null): boolean {
    return player?.game != null && has(this.#blocking ?? [], { wallet, gameId: player.game.id });
  }

  /** Whether marked friends can be sent now: not while their list is read, or while the client has much left to read. */
  get isReady(): boolean {
    return !this.#isReading && !this.#outgoing.isBacklogged();
  }

  get isMarked(): boolean {
    return this.#isOwnMarked || (this.#marked !== null && this.#marked.size > 0);
  }

  /** The player's own status as JSON, if it is another one than was sent; null: nothing to send. */
  takeOwn(): string | null {
    if (!this.#isOwnMarked) return null;
    this.#isOwnMarked = false;
    const own = JSON.stringify(this.#following.chosen(this.wallet));
    if (own === this.#toldOwn) return null;
    this.#toldOwn = own;
    return own;
  }

  /** The marked wallets, and whether they are friends; those that were taken are not marked any more. */
  *takeMarked(): Generator<[wallet: string, isFriend: boolean]> {
    const marked = this.#marked ?? new Map<string, boolean>();
    let taken = 0;
    try {
      for (const mark of marked) {
        taken++;
        yield mark;
      }
    } finally {
      this.#marked = taken < marked.size ? new Map([...marked].slice(taken)) : null;
    }
  }

  /** Whether this session may see a friend: also who opens its game now. */
  maySee(wallet: string, player: VisiblePlayer | null): boolean {
    if (this.#visible === null || this.#visible.has(wallet)) return true;
    if (player?.game?.id !== this.gameId) return false;
    this.#visible.add(wallet);
    return true;
  }

  send(event: string): void {
    this.#outgoing.send(event);
  }
}

const has = (all: readonly BlockingFriend[], { wallet, gameId }: BlockingFriend) =>
  all.some((one) => one.wallet === wallet && one.gameId === gameId);

const without = (all: readonly BlockingFriend[], others: readonly BlockingFriend[]) =>
  all.filter((one) => !has(others, one));
