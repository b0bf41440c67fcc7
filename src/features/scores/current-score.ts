import { streamOf } from '../../core/events/stream.ts';
import type { Owner } from '../../core/schemas/owner.ts';
import type { Lookup, LookupSteps } from '../../core/storage/lookup.ts';
import { currentScore } from './commands.ts';
import { defaultLeaderboard } from './leaderboard.ts';
import { leaderboardEntries, leaderboardRecords, leaderboards } from './leaderboard-tables.ts';
import { directionOf } from './ranking.ts';
import { rulesOf } from './stored-leaderboard.ts';

/**
 * A player's score on a leaderboard (default: `default`): the record under a nonce, or, without one, the ranked score;
 * of several entries, the best. Undefined when there is none, or no such leaderboard. `season`: a season's id; default:
 * the current season.
 */
export function* findLeaderboardScore<Yielded>(
  from: Lookup<Yielded>,
  owner: Owner,
  name: string | undefined,
  nonce: string | undefined,
  season?: string,
): LookupSteps<Yielded, number | undefined> {
  if (name === undefined || name === defaultLeaderboard) return yield* currentScore(from, owner, nonce);
  const row = yield* from.get(leaderboards, owner.gameId, name);
  if (!row) return undefined;
  const { seasonId } = season === undefined ? row : { seasonId: season };
  const stream = streamOf.player(owner.gameId, owner.wallet);
  if (nonce !== undefined) {
    const byNonce = yield* from.get(leaderboardRecords.byNonce, seasonId, stream, nonce);
    if (byNonce) return byNonce.score;
    const byId = yield* from.get(leaderboardRecords, nonce);
    const isOwn = byId?.stream === stream && byId.board === seasonId && byId.nonce === null;
    return isOwn ? byId.score : undefined;
  }
  const { entries, order } = rulesOf(row);
  if (entries === 'all') {
    const [best] = yield* from.list(leaderboardRecords.byScore, [seasonId, stream], { limit: 1 });
    return best?.score;
  }
  const entry = yield* from.get(leaderboardEntries, seasonId, stream, '');
  // + 0 turns −0 into 0
  return entry && entry.sortScore * directionOf(order) + 0;
}
