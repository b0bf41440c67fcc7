import type { ImportedOf } from '../../features/player-import/record.ts';
import type { LeaderboardRecord, NewLeaderboard } from '../../features/scores/leaderboard.ts';
import { defaultLeaderboard, leaderboardName } from '../../features/scores/leaderboard.ts';

/** A leaderboard of the other system, and the one here that its scores go to. */
export interface TargetLeaderboard {
  source: string;
  leaderboard: string;
  order: 'desc' | 'asc';
  keep: NewLeaderboard['keep'];
  cron: string | undefined;
  exists: boolean;
}

/**
 * The leaderboards that scores go to: those that exist by name, and others as the other system describes them. Names that
 * Gantry does not allow are changed.
 */
export class TargetLeaderboards {
  readonly #existing: ReadonlyMap<string, LeaderboardRecord>;
  readonly #bySource = new Map<string, TargetLeaderboard | string>();

  constructor(existing: readonly LeaderboardRecord[]) {
    this.#existing = new Map(existing.map((one) => [one.leaderboard, one]));
  }

  /** Those that scores go to. */
  get all(): TargetLeaderboard[] {
    return [...this.#bySource.values()].filter((one) => typeof one !== 'string');
  }

  /** Adds what the other system says of one; returns why it cannot be imported. */
  declare({ name, order, keep, cron }: Omit<ImportedOf<'leaderboard'>, 'type'>): string | undefined {
    const leaderboard = allowedName(name);
    if (leaderboard === '') return 'has a name without letters and digits';
    if (this.#bySource.has(name)) return 'is there twice';
    const other = this.all.find((one) => one.leaderboard === leaderboard);
    if (other) {
      this.#bySource.set(
        name,
        `the leaderboard ${name} would have the same name here as ${other.source}: ${leaderboard}`,
      );
      return String(this.#bySource.get(name));
    }
    const here = this.#existing.get(leaderboard);
    const rules = here ? { order: here.order, keep: here.keep } : { order, keep };
    const exists = here !== undefined || leaderboard === defaultLeaderboard;
    this.#bySource.set(name, { source: name, leaderboard, ...rules, cron, exists });
    return undefined;
  }

  /** Where the scores of a leaderboard go, or why they cannot be imported. */
  targetOf(source: string): TargetLeaderboard | string {
    if (!this.#bySource.has(source)) {
      const reason = this.declare({ name: source, order: 'desc', keep: 'best' });
      if (reason !== undefined) this.#bySource.set(source, reason);
    }
    return this.#bySource.get(source) ?? '';
  }
}

/** `High Scores!` as `high-scores`. */
function allowedName(name: string): string {
  if (leaderboardName.safeParse(name).success) return name;
  const words =
    name
      .normalize('NFKD')
      .toLowerCase()
      .match(/[a-z0-9]+/g) ?? [];
  return words.join('-').slice(0, 64).replace(/-$/, '');
}
