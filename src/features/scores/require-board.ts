import { GantryError } from '../../core/errors.ts';
import type { Store } from '../../core/storage/store.ts';
import type { Game } from '../games/game.ts';
import { type BoardChoice, defaultLeaderboard } from './leaderboard.ts';
import { leaderboardUnknown, seasonUnknown } from './leaderboard-commands.ts';
import { type Board, findLeaderboard, findSeason } from './leaderboard-queries.ts';
import { labelBoardOf, labelsOf, rulesOf } from './stored-leaderboard.ts';

/**
 * Resolves a board. `isPublic`: only a board that anyone may read.
 * @throws GantryError `leaderboard_unknown`, `leaderboard_private`, `season_unknown`, `label_unknown`
 */
export async function requireBoard(
  db: Store,
  { id: gameId, policies }: Pick<Game, 'id' | 'policies'>,
  { leaderboard, season, label }: BoardChoice,
  { isPublic }: { isPublic: boolean },
): Promise<Board> {
  if (leaderboard === defaultLeaderboard) {
    if (season !== undefined) throw seasonUnknown();
    if (label !== undefined) throw labelUnknown();
    const { order } = policies.leaderboard;
    return {
      gameId,
      leaderboard,
      season: 0,
      seasonId: gameId,
      label,
      group: gameId,
      order,
      entries: 'player',
    };
  }
  const row = await db.read(findLeaderboard, gameId, leaderboard);
  if (!row) throw leaderboardUnknown();
  if (isPublic && row.isPublic === 0) {
    throw new GantryError(
      'leaderboard_private',
      "This leaderboard is not public: only the game's server and administrators can read it",
    );
  }
  if (label !== undefined && !labelsOf(row).includes(label)) throw labelUnknown();
  const isCurrent = season === undefined || season === row.season;
  const seasonId = isCurrent ? row.seasonId : (await db.read(findSeason, gameId, leaderboard, season))?.id;
  if (seasonId === undefined) throw seasonUnknown();
  const { order, entries } = rulesOf(row);
  const group = label === undefined ? seasonId : labelBoardOf(seasonId, label);
  return { gameId, leaderboard, season: season ?? row.season, seasonId, label, group, order, entries };
}

function labelUnknown(): GantryError {
  return new GantryError('label_unknown', 'The leaderboard has no such label');
}
