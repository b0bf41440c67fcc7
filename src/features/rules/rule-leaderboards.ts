import { GantryError } from '../../core/errors.ts';
import type { Store } from '../../core/storage/store.ts';
import { defaultLeaderboard } from '../scores/leaderboard.ts';
import { listLeaderboardRows } from '../scores/leaderboard-queries.ts';
import { labelsOf } from '../scores/stored-leaderboard.ts';
import type { Rule } from './rule.ts';

/**
 * Rejects rules that refer to a leaderboard that the game does not have, or to a label that the leaderboard does not
 * have.
 * @throws GantryError `rule_invalid` with the paths
 */
export async function refuseUnknownLeaderboards(
  db: Store,
  gameId: string,
  rules: readonly Rule[],
): Promise<void> {
  const references = rules.flatMap(leaderboardReferences).filter(({ name }) => name !== defaultLeaderboard);
  if (references.length === 0) return;
  const rows = await db.read(listLeaderboardRows, gameId);
  const known = new Map(rows.map((row) => [row.name, labelsOf(row)]));
  const fields = references.flatMap(({ path, name, label }) => {
    const labels = known.get(name);
    if (!labels) {
      const message = `the game has no leaderboard called ${name}; create it, or use an existing one`;
      return [{ path: `${path}.leaderboard`, message }];
    }
    if (label === undefined || labels.includes(label)) return [];
    const message = `${name} has no label ${label}; add it (updateLeaderboard with addLabels), or use an existing one`;
    return [{ path: `${path}.label`, message }];
  });
  const [first] = fields;
  if (first) throw new GantryError('rule_invalid', `${first.path}: ${first.message}`, { fields });
}

interface LeaderboardReference {
  path: string;
  name: string;
  label?: string | undefined;
}

/** The leaderboards that a rule refers to, with their paths. */
function leaderboardReferences({ seasonEnd, actions }: Rule, at: number): LeaderboardReference[] {
  const inActions = actions.flatMap((action, index) => {
    const path = `rules.${at}.actions.${index}`;
    const own =
      action.type === 'UpdateScore' && action.leaderboard !== undefined
        ? [{ path, name: action.leaderboard }]
        : [];
    const inConditions = (action.conditions ?? []).flatMap((condition, position) =>
      condition.type === 'score-condition' && condition.leaderboard !== undefined
        ? [{ path: `${path}.conditions.${position}`, name: condition.leaderboard }]
        : [],
    );
    return [...own, ...inConditions];
  });
  if (!seasonEnd) return inActions;
  const { leaderboard: name, label } = seasonEnd;
  return [{ path: `rules.${at}.seasonEnd`, name, label }, ...inActions];
}
