import type { Socket } from 'socket.io';
import type { LeaderboardRow } from '../../domain/score.ts';
import type { LeaderboardChange } from '../../events/catalogue.ts';
import { type Cursor, streamOf } from '../../events/stream.ts';
import type { Connection } from '../../operations/connection.ts';
import type { SessionDetails, Store } from '../../store/store.ts';
import type { CatchUp } from './catch-up.ts';
import type { LeaderboardFeed } from './leaderboard-feed.ts';
import { listenerOf, roomOfFollowers, roomOfListener } from './rooms.ts';

/** A launcher's socket as operations see it, and the rooms it is in. */
export class LiveConnection implements Connection {
  readonly sessionId: string;
  readonly #socket: Socket;
  readonly #ownRoom: string;
  readonly #catchUp: CatchUp;
  readonly #store: Store;
  readonly #leaderboards: LeaderboardFeed;
  #isLive = false;

  constructor(
    socket: Socket,
    details: SessionDetails,
    catchUp: CatchUp,
    store: Store,
    leaderboards: LeaderboardFeed,
  ) {
    this.sessionId = details.session.id;
    this.#socket = socket;
    this.#ownRoom = roomOfListener(listenerOf(details));
    this.#catchUp = catchUp;
    this.#store = store;
    this.#leaderboards = leaderboards;
  }

  /** From now on events come by way of the rooms. */
  goLive(): void {
    this.#isLive = true;
    this.#socket.join([this.#ownRoom, ...this.followed().map(roomOfFollowers)]);
  }

  /** Leaderboards are not replayed: whoever followed one before a reconnect is given all of its rows. */
  async refreshLeaderboards(): Promise<void> {
    for (const gameId of this.followed()) {
      const rows = await this.#leaderboards.follow(gameId);
      const change: LeaderboardChange = { gameId, length: rows.length, rows };
      this.#socket.emit('leaderboards patched', change, { stream: streamOf.game(gameId) });
    }
  }

  async follow(gameId: string): Promise<{ stream: string; cursor: Cursor; leaderboard: LeaderboardRow[] }> {
    // Joined first: what happens while the standing is read comes twice rather than not at all.
    this.#catchUp.followed.add(gameId);
    if (this.#isLive) this.#socket.join(roomOfFollowers(gameId));
    const stream = streamOf.game(gameId);
    const [epoch, { seq }, leaderboard] = await Promise.all([
      this.#store.events.epoch(),
      this.#store.events.standing(stream),
      this.#leaderboards.follow(gameId),
    ]);
    return { stream, cursor: { epoch, seq }, leaderboard };
  }

  unfollow(gameId: string): void {
    this.#catchUp.followed.delete(gameId);
    this.#socket.leave(roomOfFollowers(gameId));
  }

  followed(): string[] {
    return [...this.#catchUp.followed];
  }
}
