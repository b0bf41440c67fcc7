import type { Socket } from 'socket.io';
import { GantryError } from '../../core/errors.ts';
import { streamOf } from '../../core/events/stream.ts';
import type { Store } from '../../core/storage/store.ts';
import {
  type Connection,
  type GameStatsSubscription,
  maxFollowed,
} from '../../features/events/connection.ts';
import { readEpoch, streamPosition } from '../../features/events/queries.ts';
import type { PresenceConnection } from '../../features/friends/presence.ts';
import type { GameStats } from '../../features/playtime/events.ts';
import { type LeaderboardChange, leaderboardPatched } from '../../features/scores/score.ts';
import type { Interests } from './committed-events.ts';
import type { GameStatsFeed, StatsListener } from './game-stats-feed.ts';
import type { LeaderboardFeed } from './leaderboard-feed.ts';
import type { PlayerSocket } from './player-socket.ts';
import { roomOfFollowers, roomOfStatsFollowers } from './push.ts';

const none: ReadonlySet<string> = new Set();

export interface SubscriptionsDependencies {
  db: Store;
  leaderboards: LeaderboardFeed;
  gameStats: GameStatsFeed;
  interests: Interests;
  /** Resolves when everything that is committed from then on reaches those with interests. */
  listen(): Promise<void>;
}

/** What one socket follows: public streams and, with a session, the presence of friends. */
export class Subscriptions implements Connection, PresenceConnection, StatsListener {
  /** Null: the socket has no session. */
  player: PlayerSocket | null = null;
  /** Told from which position the socket follows a stream; null: it is not catching up. */
  catchUp: { startAfter(stream: string, seq: number): void } | null = null;
  /** Ids of the games followed; null: most sockets never follow one. */
  #games: Set<string> | null = null;
  /** Named leaderboards that the client reads, by game and name. */
  #leaderboards: Set<string> | null = null;
  readonly #socket: Socket;
  readonly #dependencies: SubscriptionsDependencies;
  /** Games of which only the number of players is followed. */
  #stats: readonly string[] = [];
  /** The subscriptions to send with it, by game; null: none. */
  #statsAs: Map<string, GameStatsSubscription> | null = null;
  #isLive = false;
  #isClosed = false;

  constructor(socket: Socket, dependencies: SubscriptionsDependencies) {
    this.#socket = socket;
    this.#dependencies = dependencies;
  }

  get games(): ReadonlySet<string> {
    return this.#games ?? none;
  }

  /** Follows a game; once it is live, the socket must join the room too. */
  add(gameId: string): void {
    if (this.#isClosed || this.games.has(gameId)) return;
    this.#games = (this.#games ?? new Set()).add(gameId);
    this.#dependencies.interests.add(gameId);
  }

  /** Joins the rooms, which deliver events from now on. */
  goLive(): void {
    this.#isLive = true;
    if (this.games.size === 0) return;
    this.#socket.join(this.followed().map(roomOfFollowers));
    // Games followed by a cursor or during the catch-up: the socket may have missed changes, so it gets all rows.
    for (const gameId of this.games)
      this.#dependencies.leaderboards.show(gameId, (change) => this.#send(change));
  }

  async follow(gameId: string): ReturnType<Connection['follow']> {
    if (!this.games.has(gameId) && this.games.size >= maxFollowed) {
      throw new GantryError(
        'input_invalid',
        `A connection follows the public streams of at most ${maxFollowed} games; unsubscribe from one first`,
      );
    }
    // Joined first: events during the read of the position are delivered twice rather than lost.
    this.add(gameId);
    if (this.#isLive) this.#socket.join(roomOfFollowers(gameId));
    const stream = streamOf.game(gameId);
    const { db, leaderboards, listen } = this.#dependencies;
    await listen();
    const [epoch, { seq }, leaderboard] = await Promise.all([
      db.read(readEpoch),
      db.read(streamPosition, stream),
      leaderboards.follow(gameId),
    ]);
    this.catchUp?.startAfter(stream, seq);
    return { stream, cursor: { epoch, seq }, leaderboard };
  }

  unfollow(gameId: string): void {
    if (this.#games?.delete(gameId)) this.#dependencies.interests.remove(gameId);
    this.#socket.leave(roomOfFollowers(gameId));
    if (this.#statsAs?.delete(gameId)) this.#dependencies.gameStats.unlisten(gameId, this);
    for (const key of this.#leaderboards ?? none) {
      if (key.startsWith(`${gameId} `)) this.#leaderboards?.delete(key);
    }
  }

  async watchLeaderboard(gameId: string, leaderboard: string): Promise<void> {
    const key = `${gameId} ${leaderboard}`;
    if (!this.#games?.has(gameId)) return;
    this.#leaderboards ??= new Set();
    if (this.#leaderboards.size >= maxFollowed && !this.#leaderboards.has(key)) return;
    this.#leaderboards.add(key);
    await this.#dependencies.leaderboards.watch(gameId, leaderboard);
  }

  presenceOf(sessionId: string): PlayerSocket | null {
    return this.player?.sessionId === sessionId ? this.player : null;
  }

  followed(): string[] {
    return [...this.games];
  }

  followGameStats(gameIds: readonly string[]): GameStats[] {
    for (const gameId of this.#stats) this.#socket.leave(roomOfStatsFollowers(gameId));
    this.#stats = gameIds;
    this.#socket.join(gameIds.map(roomOfStatsFollowers));
    return gameIds.map((gameId) => this.#dependencies.gameStats.follow(gameId));
  }

  followGameStatsAs(subscription: GameStatsSubscription): void {
    const { gameStats } = this.#dependencies;
    for (const gameId of subscription.gameIds) {
      this.#statsAs = (this.#statsAs ?? new Map()).set(gameId, subscription);
      gameStats.listen(gameId, this);
      this.sendStats(gameStats.follow(gameId));
    }
  }

  sendStats(stats: GameStats): void {
    const subscription = this.#statsAs?.get(stats.gameId);
    this.#socket.emit('realtime-events game-stats-change', { subscription, data: stats });
  }

  /** Call this when the client has left. */
  close(): void {
    this.#isClosed = true;
    this.player?.close();
    for (const gameId of this.games) this.#dependencies.interests.remove(gameId);
    this.#games = null;
    for (const gameId of this.#statsAs?.keys() ?? none) this.#dependencies.gameStats.unlisten(gameId, this);
    this.#statsAs = null;
  }

  #send(change: LeaderboardChange): void {
    if (!this.games.has(change.gameId)) return;
    this.#socket.emit(leaderboardPatched.name, change, { stream: streamOf.game(change.gameId) });
  }
}
