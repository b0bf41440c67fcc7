import { z } from 'zod';
import { text } from '../../core/schemas/fields.ts';
import type { Steps, Tx } from '../../core/storage/command.ts';
import { games } from '../games/tables.ts';
import { defaultLeaderboard, leaderboardName, maxLabel } from './leaderboard.ts';
import type { SeasonRow } from './leaderboard-tables.ts';
import { prizeRuns } from './prize-tables.ts';

/** The last place for which a rule may give a prize. */
const maxPlace = 10_000;

/** Name of the worker that gives prizes, for `Tx.wake`. */
export const prizeWorkerName = 'prizes';

/**
 * The season end at which a rule runs, for each player whose final place is in the range: on the whole leaderboard, or
 * among the scores with a label.
 */
export const seasonEnd = z.strictObject({
  leaderboard: leaderboardName.refine((name) => name !== defaultLeaderboard, {
    error: 'default has no seasons; use a leaderboard created with createLeaderboard',
  }),
  label: text(1, maxLabel).optional(), // one of the leaderboard's, which older versions did not normalize
  places: z
    .strictObject({ from: z.int().min(1).default(1), to: z.int().min(1).max(maxPlace) })
    .refine(({ from, to }) => to >= from, { path: ['to'], error: 'must be at least from' }),
});

/** A game's rules, parsed only as far as needed here. */
const seasonEndRules = z.array(z.looseObject({ seasonEnd: seasonEnd.optional() }));

/** Adds a prize run for each rule of the game that runs at this season's end, in the transaction that ends it. */
export function* startPrizes(tx: Tx, { gameId, leaderboard, season, id: seasonId }: SeasonRow): Steps<void> {
  const { rules = '[]' } = (yield* tx.get(games, gameId)) ?? {};
  if (!rules.includes('"seasonEnd"')) return;
  for (const rule of seasonEndRules.parse(JSON.parse(rules))) {
    if (rule.seasonEnd?.leaderboard !== leaderboard) continue;
    tx.insert(prizeRuns, {
      id: tx.newId(),
      gameId,
      leaderboard,
      season,
      seasonId,
      rule: JSON.stringify(rule),
      place: rule.seasonEnd.places.from,
      sortScore: null,
      reachedAt: null,
      scoreId: null,
    });
    tx.wake(prizeWorkerName);
  }
}
