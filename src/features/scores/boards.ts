import { GantryError } from '../../core/errors.ts';
import type { Owner } from '../../core/schemas/owner.ts';
import type { Page } from '../../core/schemas/paging.ts';
import type { Store } from '../../core/storage/store.ts';
import type { Game } from '../games/game.ts';
import { type BoardChoice, defaultLeaderboard } from './leaderboard.ts';
import { leaderboardUnknown, seasonUnknown } from './leaderboard-commands.ts';
import {
  type Board,
  countBoardScores,
  findBoardScore,
  findLeaderboard,
  findSeason,
  listBoardScores,
  readBoardPage,
  readPlace,
} from './leaderboard-queries.ts';
import { countScores, findScore, listScores, readLeaderboard, readPosition } from './queries.ts';
import type { PlacedScore, RankedScore, ScoreRecord } from './score.ts';
import { labelBoardOf, labelsOf, rulesOf } from './stored-leaderboard.ts';

/**
 * Resolves a board, `default` or a named leaderboard's; the functions below read either kind, which are stored
 * differently. `isPublic`: only a board that anyone may read.
 * @throws GantryError `leaderboard_unknown`, `leaderboard_private`, `season_unknown`, `label_unknown`
 */
export async function requireBoard(
  db: Store,
  { id: gameId, policies }: Pick<Game, 'id' | 'policies'>,
  { leaderboard = defaultLeaderboard, season, label }: BoardChoice,
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

/** A page of a board, best first. Returns the same frozen array while nothing in it has changed. */
export function pageOf(db: Store, board: Board, page: Page): Promise<readonly RankedScore[]> {
  return isDefault(board)
    ? db.read(readLeaderboard, board.gameId, page)
    : db.read(readBoardPage, board, page);
}

/** A page of a board with ranks. */
export async function rankedPageOf(db: Store, board: Board, { limit, skip }: Page): Promise<PlacedScore[]> {
  const rows = await pageOf(db, board, { limit, skip });
  return rows.map((row, index) => ({ ...row, position: skip + index + 1 }));
}

/** A player's rank on a board, from 1; null without a score. */
export function rankOf(db: Store, board: Board, wallet: string): Promise<number | null> {
  return isDefault(board)
    ? db.read(readPosition, { gameId: board.gameId, wallet })
    : db.read(readPlace, board, wallet);
}

/** A player's latest score on `default`, the ranked one on a named board, or the one under a nonce; null: none. */
export function scoreOf(
  db: Store,
  board: Board,
  owner: Owner,
  nonce: string | undefined,
): Promise<ScoreRecord | null> {
  return isDefault(board) ? db.read(findScore, owner, nonce) : db.read(findBoardScore, board, owner, nonce);
}

/** A player's scores on a board, latest first; or the one under a nonce. */
export async function scoresOf(
  db: Store,
  board: Board,
  owner: Owner,
  { limit, skip }: Page,
  nonce?: string,
): Promise<ScoreRecord[]> {
  if (isDefault(board)) return await db.read(listScores, owner, { limit, skip }, nonce);
  if (nonce === undefined) return await db.read(listBoardScores, board, owner, { limit, skip });
  const found = await db.read(findBoardScore, board, owner, nonce);
  return found && skip === 0 && limit > 0 ? [found] : [];
}

/** How many scores a player has on a board. */
export function scoreCountOf(db: Store, board: Board, owner: Owner): Promise<number> {
  return isDefault(board) ? db.read(countScores, owner) : db.read(countBoardScores, board, owner);
}

function isDefault({ leaderboard }: Board): boolean {
  return leaderboard === defaultLeaderboard;
}

function labelUnknown(): GantryError {
  return new GantryError('label_unknown', 'The leaderboard has no such label');
}
