import { PlayingCounts } from '../../cluster/players/playing-counts.ts';
import type { GameStats } from '../../features/playtime/events.ts';

/** The shortest time between two signals of a game. */
const intervalMs = 2_000;
/** How often games that have changed are looked at. */
const serveMs = 100;
/** The most that is sent to sockets: with many followers, games are sent less often. */
const deliveriesPerSecond = 10_000;

/** A socket that receives the numbers in another form. */
export interface StatsListener {
  sendStats(stats: GameStats): void;
}

export interface GameStatsFeedOptions {
  /** Sends to who follows the game on this node; returns to how many. */
  send(stats: GameStats): number;
  now(): number;
}

/**
 * Tells followers how many players play a game: every node counts all players, so nothing is sent between nodes. The
 * first change is sent at once, further ones after `intervalMs`; the last state always is.
 */
export class GameStatsFeed {
  readonly #options: GameStatsFeedOptions;
  readonly #counts = new PlayingCounts((gameId) => this.#change(gameId));
  /** What was sent last, of games that somebody follows; null: followers know different numbers. `sentAt`: monotonic. */
  readonly #sent = new Map<string, { playing: number | null; sentAt: number }>();
  readonly #changed = new Set<string>();
  readonly #listeners = new Map<string, Set<StatsListener>>();
  #timer: NodeJS.Timeout | undefined;
  #busyUntil = 0;

  constructor(options: GameStatsFeedOptions) {
    this.#options = options;
  }

  /** Sets the game that a player has open; null: none. */
  set(wallet: string, gameId: string | null): void {
    this.#counts.set(wallet, gameId);
  }

  /** What a new follower starts from: the next number that differs from it is sent. */
  follow(gameId: string): GameStats {
    const stats = this.statsOf(gameId);
    const sent = this.#sent.get(gameId);
    if (sent && sent.playing !== stats.playing) sent.playing = null;
    return stats;
  }

  statsOf(gameId: string): GameStats {
    return { gameId, playing: this.#counts.of(gameId), updatedAt: this.#options.now() };
  }

  /** The number of players who have a game open. */
  get players(): number {
    return this.#counts.players;
  }

  get liveGames(): number {
    return this.#counts.liveGames;
  }

  listen(gameId: string, listener: StatsListener): void {
    const listeners = this.#listeners.get(gameId) ?? new Set();
    this.#listeners.set(gameId, listeners.add(listener));
  }

  unlisten(gameId: string, listener: StatsListener): void {
    const listeners = this.#listeners.get(gameId);
    if (listeners?.delete(listener) && listeners.size === 0) this.#listeners.delete(gameId);
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#changed.clear();
  }

  #change(gameId: string): void {
    this.#changed.add(gameId);
    this.#timer ??= setTimeout(() => this.#serve(), serveMs).unref();
  }

  #serve(): void {
    this.#timer = undefined;
    for (const gameId of this.#changed) {
      const now = performance.now();
      if (now < this.#busyUntil) break;
      if (now - (this.#sent.get(gameId)?.sentAt ?? Number.NEGATIVE_INFINITY) < intervalMs) continue;
      this.#changed.delete(gameId);
      const receivers = this.#send(gameId, now);
      this.#busyUntil = now + (receivers * 1_000) / deliveriesPerSecond;
    }
    if (this.#changed.size > 0) this.#timer ??= setTimeout(() => this.#serve(), serveMs).unref();
  }

  #send(gameId: string, sentAt: number): number {
    const stats = this.statsOf(gameId);
    if (this.#sent.get(gameId)?.playing === stats.playing) return 0;
    const listeners = this.#listeners.get(gameId) ?? [];
    let receivers = this.#options.send(stats);
    for (const listener of listeners) {
      listener.sendStats(stats);
      receivers++;
    }
    if (receivers > 0) this.#sent.set(gameId, { playing: stats.playing, sentAt });
    else this.#sent.delete(gameId);
    return receivers;
  }
}
