import type { Socket } from 'socket.io';
import type { LeaderboardRow } from '../../domain/score.ts';
import { GantryError } from '../../errors.ts';
import type { LeaderboardChange } from '../../events/catalogue.ts';
import { type Cursor, streamOf } from '../../events/stream.ts';
import type { Connection } from '../../operations/connection.ts';
import type { SessionDetails, Store } from '../../store/store.ts';
import { type CatchUp, maximumFollowed } from './catch-up.ts';
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
    // Followed by a cursor, or while changes passed this socket by: its rows are no longer those it knows.
    for (const gameId of this.followed()) this.#leaderboards.show(gameId, (change) => this.#tell(change));
  }

  async follow(gameId: string): Promise<{ stream: string; cursor: Cursor; leaderboard: LeaderboardRow[] }> {
    const { followed } = this.#catchUp;
    if (!followed.has(gameId) && followed.size >= maximumFollowed) {
      throw new GantryError(
        'input_invalid',
        `A connection follows the public streams of at most ${maximumFollowed} games; let go of one first`,
      );
    }
    // Joined first: what happens while the standing is read comes twice rather than not at all.
    followed.add(gameId);
    if (this.#isLive) this.#socket.join(roomOfFollowers(gameId));
    const stream = streamOf.game(gameId);
    const [epoch, { seq }, leaderboard] = await Promise.all([
      this.#store.events.epoch(),
      this.#store.events.standing(stream),
      this.#leaderboards.follow(gameId),
    ]);
    this.#catchUp.startAfter(stream, seq);
    return { stream, cursor: { epoch, seq }, leaderboard };
  }

  unfollow(gameId: string): void {
    this.#catchUp.followed.delete(gameId);
    this.#socket.leave(roomOfFollowers(gameId));
  }

  followed(): string[] {
    return [...this.#catchUp.followed];
  }

  #tell(change: LeaderboardChange): void {
    if (!this.#catchUp.followed.has(change.gameId)) return;
    this.#socket.emit('leaderboards patched', change, { stream: streamOf.game(change.gameId) });
  }
}
