import type { Database } from '../core/storage/database.ts';
import { GantryError } from '../errors.ts';
import { defaultLeaderboard } from '../scores/leaderboard.ts';
import { listLeaderboardRows } from '../scores/leaderboard-queries.ts';
import type { Rule } from './rule.ts';

/**
 * Refuses rules that name a leaderboard which the game does not have.
 * @throws GantryError `rule_invalid` naming where
 */
export async function refuseUnknownLeaderboards(
  db: Database,
  gameId: string,
  rules: readonly Rule[],
): Promise<void> {
  const named = rules.flatMap(namedIn).filter(({ name }) => name !== defaultLeaderboard);
  if (named.length === 0) return;
  const known = new Set((await db.read(listLeaderboardRows, gameId)).map(({ name }) => name));
  const fields = named
    .filter(({ name }) => !known.has(name))
    .map(({ path, name }) => ({ path, message: `the game has no leaderboard called ${name}` }));
  const [first] = fields;
  if (first) throw new GantryError('rule_invalid', `${first.path}: ${first.message}`, { fields });
}

/** The leaderboards a rule names, and where. */
function namedIn({ actions }: Rule, at: number): { path: string; name: string }[] {
  return actions.flatMap((action, index) => {
    const path = `rules.${at}.actions.${index}`;
    const own =
      action.type === 'UpdateScore' && action.leaderboard !== undefined
        ? [{ path: `${path}.leaderboard`, name: action.leaderboard }]
        : [];
    const asked = (action.conditions ?? []).flatMap((condition, place) =>
      condition.type === 'score-condition' && condition.leaderboard !== undefined
        ? [{ path: `${path}.conditions.${place}.leaderboard`, name: condition.leaderboard }]
        : [],
    );
    return [...own, ...asked];
  });
}
