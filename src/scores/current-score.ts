import { streamOf } from '../core/events/stream.ts';
import type { Owner } from '../core/schemas/owner.ts';
import type { Lookup, LookupSteps } from '../core/storage/lookup.ts';
import { currentScore } from './commands.ts';
import { defaultLeaderboard } from './leaderboard.ts';
import { leaderboardEntries, leaderboardRecords, leaderboards } from './leaderboard-tables.ts';
import { directionOf } from './ranking.ts';
import { rulesOf } from './stored-leaderboard.ts';

/**
 * A player's score on a leaderboard (left out: `default`) in the season under way: under a nonce, or without one what counts,
 * of several entries the best. Undefined where there is none, or no such leaderboard.
 */
export function* scoreOn<Asked>(
  from: Lookup<Asked>,
  owner: Owner,
  name: string | undefined,
  nonce: string | undefined,
): LookupSteps<Asked, number | undefined> {
  if (name === undefined || name === defaultLeaderboard) return yield* currentScore(from, owner, nonce);
  const row = yield* from.get(leaderboards, owner.gameId, name);
  if (!row) return undefined;
  const stream = streamOf.player(owner.gameId, owner.wallet);
  if (nonce !== undefined) {
    const byNonce = yield* from.get(leaderboardRecords.byNonce, row.seasonId, stream, nonce);
    if (byNonce) return byNonce.score;
    const byId = yield* from.get(leaderboardRecords, nonce);
    const isOwn = byId?.stream === stream && byId.board === row.seasonId && byId.nonce === null;
    return isOwn ? byId.score : undefined;
  }
  const { entries, order } = rulesOf(row);
  if (entries === 'all') {
    const [best] = yield* from.list(leaderboardRecords.byScore, [row.seasonId, stream], { limit: 1 });
    return best?.score;
  }
  const counting = yield* from.get(leaderboardEntries, row.seasonId, stream, '');
  // + 0: −0 is a score of 0
  return counting && counting.sortScore * directionOf(order) + 0;
}
