import type { GamePolicies } from '../../features/games/game.ts';
import type { ImportedOf } from '../../features/player-import/record.ts';
import type { LeaderboardRecord, LeaderboardRules } from '../../features/scores/leaderboard.ts';
import { defaultLeaderboard, leaderboardName, maxLeaderboards } from '../../features/scores/leaderboard.ts';

/** A leaderboard of the other system, and the one here that its scores go to, with the rules that it has here. */
export interface TargetLeaderboard extends LeaderboardRules {
  source: string;
  leaderboard: string;
  cron: string | undefined;
  exists: boolean;
  /** The rules that it would have been created with, if it exists with others. */
  insteadOf?: LeaderboardRules;
}

/**
 * The leaderboards that scores go to: those that exist by name, and others as the other system describes them. Names that
 * Gantry does not allow are changed.
 */
export class TargetLeaderboards {
  readonly #existing: ReadonlyMap<string, LeaderboardRules>;
  readonly #bySource = new Map<string, TargetLeaderboard | string>();

  constructor(existing: readonly LeaderboardRecord[], { leaderboard }: GamePolicies) {
    this.#existing = new Map([
      [defaultLeaderboard, { ...leaderboard, entries: 'player' }],
      ...existing.map((one) => [one.leaderboard, rulesOf(one)] as const),
    ]);
  }

  /** Those that scores go to. */
  get all(): TargetLeaderboard[] {
    return [...this.#bySource.values()].filter((one) => typeof one !== 'string');
  }

  /** How many the game is going to have, beside its default one. */
  get #count(): number {
    return this.#existing.size - 1 + this.all.filter(({ exists }) => !exists).length;
  }

  /** Adds what the other system says of one; returns why it cannot be imported. */
  declare({ name, cron, ...given }: Omit<ImportedOf<'leaderboard'>, 'type'>): string | undefined {
    const rules = rulesOf(given);
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
    if (!here && this.#count >= maxLeaderboards) {
      const reason = `a game has at most ${maxLeaderboards} leaderboards, so ${name} is not imported`;
      this.#bySource.set(name, reason);
      return reason;
    }
    const insteadOf = here && rulesText(here) !== rulesText(rules) ? { insteadOf: rules } : {};
    const exists = here !== undefined;
    this.#bySource.set(name, { source: name, leaderboard, ...rules, ...here, cron, exists, ...insteadOf });
    return undefined;
  }

  /** Where the scores of a leaderboard go, or why they cannot be imported. */
  targetOf(source: string): TargetLeaderboard | string {
    if (!this.#bySource.has(source)) {
      // The files say nothing of its rules, so those here are as good.
      const here = this.#existing.get(allowedName(source));
      const reason = this.declare({ name: source, ...(here ?? plainRules) });
      if (reason !== undefined) this.#bySource.set(source, reason);
    }
    return this.#bySource.get(source) ?? '';
  }
}

const plainRules: LeaderboardRules = { keep: 'best', order: 'desc', entries: 'player' };

function rulesOf({ keep, order, entries }: LeaderboardRules): LeaderboardRules {
  return { keep, order, entries };
}

/** As a person reads them. */
export function rulesText({ keep, order, entries }: LeaderboardRules): string {
  return `${keep}, ${order}${entries === 'all' ? ', all scores' : ''}`;
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
