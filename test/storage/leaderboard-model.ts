import type { LeaderboardPolicy } from '../../src/features/games/game.ts';
import type { ScoreRecord } from '../../src/features/scores/score.ts';

interface Kept {
  record: ScoreRecord;
  /** When the record got its score; setting the same again does not change it. */
  reachedAt: number;
}

/** The leaderboard as DESIGN.md specifies it, "Scores": every record, sorted on each read. */
export class LeaderboardModel {
  readonly #policy: LeaderboardPolicy;
  readonly #kept = new Map<string, Kept>();
  readonly #lastSet = new Map<string, string>();

  constructor(policy: LeaderboardPolicy) {
    this.#policy = policy;
  }

  set(record: ScoreRecord): void {
    const before = this.#kept.get(record._id);
    const stays = before?.record.score === record.score;
    this.#kept.set(record._id, { record, reachedAt: stays ? before.reachedAt : record.updatedAt });
    this.#lastSet.set(record.normalizedAddress, record._id);
  }

  /** One row per player, the first one leading. */
  rows(): ScoreRecord[] {
    const wallets = [...this.#lastSet.keys()];
    return wallets
      .map((wallet) => this.#counting(wallet))
      .sort((a, b) => this.#compare(a, b))
      .map(({ record }) => record);
  }

  #counting(wallet: string): Kept {
    const own = [...this.#kept.values()].filter(({ record }) => record.normalizedAddress === wallet);
    const [best] = own.sort((a, b) => this.#compare(a, b));
    const latest = own.find(({ record }) => record._id === this.#lastSet.get(wallet));
    const counting = this.#policy.keep === 'latest' ? latest : best;
    if (!counting) throw new Error('a player of the board has no record');
    return counting;
  }

  /** By score, ties to whoever reached it first, then by id. */
  #compare(a: Kept, b: Kept): number {
    const direction = this.#policy.order === 'desc' ? -1 : 1;
    return (
      direction * (a.record.score - b.record.score) ||
      a.reachedAt - b.reachedAt ||
      (a.record._id < b.record._id ? -1 : 1)
    );
  }
}
