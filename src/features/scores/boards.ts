import { GantryError } from '../../core/errors.ts';
import { streamOf } from '../../core/events/stream.ts';
import type { Owner } from '../../core/schemas/owner.ts';
import type { Page } from '../../core/schemas/paging.ts';
import type { Lookup, LookupSteps } from '../../core/storage/lookup.ts';
import type { Store } from '../../core/storage/store.ts';
import type { Game } from '../games/game.ts';
import { type Board, defaultBoardOf, isDefault } from './board-rows.ts';
import { ownRecord } from './commands.ts';
import { type BoardChoice, defaultLeaderboard } from './leaderboard.ts';
import { leaderboardUnknown, seasonUnknown } from './leaderboard-commands.ts';
import {
  countBoardScores,
  findBoardScore,
  findLeaderboard,
  findSeason,
  listBoardScores,
  readBoardPage,
} from './leaderboard-queries.ts';
import { leaderboardEntries, leaderboardRecords, leaderboards } from './leaderboard-tables.ts';
import { countScores, findScore, listScores } from './queries.ts';
import type { PlacedScore, ScoreRecord } from './score.ts';
import { labelBoardOf, labelsOf, rulesOf } from './stored-leaderboard.ts';
import { board as defaultBoard, directionOf, scores } from './tables.ts';

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
    return defaultBoardOf(gameId, policies.leaderboard.order);
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

/** A page of a board with ranks. */
export async function rankedPageOf(db: Store, board: Board, { limit, skip }: Page): Promise<PlacedScore[]> {
  const rows = await db.read(readBoardPage, board, { limit, skip });
  return rows.map((row, index) => ({ ...row, position: skip + index + 1 }));
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

function labelUnknown(): GantryError {
  return new GantryError('label_unknown', 'The leaderboard has no such label');
}

/** Whether the game has the leaderboard (default: `default`). */
export function* hasLeaderboard<Yielded>(
  from: Lookup<Yielded>,
  { gameId }: Owner,
  leaderboard: string = defaultLeaderboard,
): LookupSteps<Yielded, boolean> {
  return isDefault({ leaderboard }) || (yield* from.get(leaderboards, gameId, leaderboard)) !== undefined;
}

/**
 * A player's score on a leaderboard (default: `default`): the record under a nonce, or, without one, the ranked score;
 * of several entries, the best. Undefined when there is none, or no such leaderboard. `season`: a season's id; default:
 * the current season.
 */
export function* findLeaderboardScore<Yielded>(
  from: Lookup<Yielded>,
  owner: Owner,
  leaderboard: string = defaultLeaderboard,
  nonce: string | undefined,
  season?: string,
): LookupSteps<Yielded, number | undefined> {
  const stream = streamOf.player(owner.gameId, owner.wallet);
  if (isDefault({ leaderboard })) {
    if (nonce !== undefined) {
      const byNonce = yield* from.get(scores.byNonce, stream, nonce);
      return (byNonce ?? ownRecord(yield* from.get(scores, nonce), stream))?.score;
    }
    const ranked = yield* from.get(defaultBoard, stream);
    return ranked && (yield* from.get(scores, ranked.scoreId))?.score;
  }
  const row = yield* from.get(leaderboards, owner.gameId, leaderboard);
  if (!row) return undefined;
  const { seasonId } = season === undefined ? row : { seasonId: season };
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
