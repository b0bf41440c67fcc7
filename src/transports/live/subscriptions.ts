import type { Socket } from 'socket.io';
import { GantryError } from '../../core/errors.ts';
import { type Cursor, streamOf } from '../../core/events/stream.ts';
import type { Store } from '../../core/storage/store.ts';
import { type Connection, maxFollowed } from '../../features/events/connection.ts';
import { readEpoch, streamPosition } from '../../features/events/queries.ts';
import type { PresenceConnection } from '../../features/friends/presence.ts';
import { type LeaderboardChange, leaderboardPatched } from '../../features/scores/events.ts';
import type { LeaderboardRow } from '../../features/scores/score.ts';
import type { LeaderboardFeed } from './leaderboard-feed.ts';
import type { PlayerSocket } from './player-socket.ts';
import { roomOfFollowers } from './push.ts';

export interface SubscriptionsDependencies {
  db: Store;
  leaderboards: LeaderboardFeed;
  /** Called with a stream's position when the socket begins to follow it. */
  onFollowed(stream: string, seq: number): void;
}

/** What one socket follows: public streams and, with a session, the presence of friends. */
export class Subscriptions implements Connection, PresenceConnection {
  /** Ids of the games followed. */
  readonly games = new Set<string>();
  /** Null: the socket has no session. */
  player: PlayerSocket | null = null;
  readonly #socket: Socket;
  readonly #dependencies: SubscriptionsDependencies;
  #isLive = false;

  constructor(socket: Socket, dependencies: SubscriptionsDependencies) {
    this.#socket = socket;
    this.#dependencies = dependencies;
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

  async follow(gameId: string): Promise<{ stream: string; cursor: Cursor; leaderboard: LeaderboardRow[] }> {
    if (!this.games.has(gameId) && this.games.size >= maxFollowed) {
      throw new GantryError(
        'input_invalid',
        `A connection follows the public streams of at most ${maxFollowed} games; unsubscribe from one first`,
      );
    }
    // Joined first: events during the read of the position are delivered twice rather than lost.
    this.games.add(gameId);
    if (this.#isLive) this.#socket.join(roomOfFollowers(gameId));
    const stream = streamOf.game(gameId);
    const { db, leaderboards, onFollowed } = this.#dependencies;
    const [epoch, { seq }, leaderboard] = await Promise.all([
      db.read(readEpoch),
      db.read(streamPosition, stream),
      leaderboards.follow(gameId),
    ]);
    onFollowed(stream, seq);
    return { stream, cursor: { epoch, seq }, leaderboard };
  }

  unfollow(gameId: string): void {
    this.games.delete(gameId);
    this.#socket.leave(roomOfFollowers(gameId));
  }

  presenceOf(sessionId: string): PlayerSocket | null {
    return this.player?.sessionId === sessionId ? this.player : null;
  }

  followed(): string[] {
    return [...this.games];
  }

  #send(change: LeaderboardChange): void {
    if (!this.games.has(change.gameId)) return;
    this.#socket.emit(leaderboardPatched.name, change, { stream: streamOf.game(change.gameId) });
  }
}
