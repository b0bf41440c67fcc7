import { z } from 'zod';
import type { PublicUrls } from '../../../core/public-urls.ts';
import { everyRole } from '../../../core/schemas/admin-role.ts';
import { withReason } from '../../../core/schemas/field-reason.ts';
import { addressInput, success } from '../../../core/schemas/fields.ts';
import { paging, pagingOf } from '../../../core/schemas/paging.ts';
import type { Store } from '../../../core/storage/store.ts';
import type { Connection } from '../../events/connection.ts';
import { gameInput, requireGame } from '../../games/require-game.ts';
import { defineAdminOperation, defineOperation } from '../../operation.ts';
import { rowsCost } from '../../operation-cost.ts';
import { displayName } from '../../players/player.ts';
import { isDefault } from '../board-rows.ts';
import { rankedPageOf, requireBoard } from '../boards.ts';
import { labelInput, leaderboardInput, maxAmong, seasonInput } from '../leaderboard.ts';
import { readAmong, readAround, readBoardPage, readPlace } from '../leaderboard-queries.ts';
import {
  type LeaderboardEntry,
  type LeaderboardRow,
  leaderboardEntry,
  leaderboardRow,
  type PlacedScore,
  type RankedScore,
} from '../score.ts';

/** Selects a board of one game. */
const boardFields = {
  leaderboard: leaderboardInput,
  season: seasonInput,
  label: labelInput.meta({
    description: 'Only scores with this label, with their ranks among these; omitted: all',
  }),
};
const boardInput = { gameId: gameInput, ...boardFields };

const placedOutput = z.object({ success, leaderboard: z.array(leaderboardRow) });

const defaultRowsAround = 11;
const maxRowsAround = 101;

/** The response built from a cached page, kept for as long as that page is. */
const responses = new WeakMap<
  readonly RankedScore[],
  Readonly<{ success: true; leaderboard: LeaderboardEntry[] }>
>();

export const getGameScoresLeaderboard = defineOperation({
  name: 'getGameScoresLeaderboard',
  service: 'scores',
  kind: 'read',
  summary: "Read a game's leaderboard, best first, optionally of a finished season or one label",
  auth: 'public',
  input: z.object({ gameId: gameInput, ...pagingOf(), ...boardFields }),
  cost: rowsCost(50),
  output: z.object({ success, leaderboard: z.array(leaderboardEntry) }),
  async handler(
    { input },
    {
      db,
      publicUrls,
      connection,
    }: { db: Store; publicUrls: PublicUrls; connection?: Connection | undefined },
  ) {
    const game = await requireGame(db, input.gameId);
    const board = await requireBoard(db, game, input, { isPublic: true });
    const isFollowable = !isDefault(board) && input.season === undefined && input.label === undefined;
    if (connection && isFollowable) await connection.watchLeaderboard(game.id, board.leaderboard);
    const rows = await db.read(readBoardPage, board, input);
    const cached = responses.get(rows);
    if (cached) return cached;
    const leaderboard = rows.map((row) => toLeaderboardEntry(row, publicUrls));
    const response = Object.freeze({ success: true as const, leaderboard });
    responses.set(rows, response);
    return response;
  },
});

export const getUsersPositionInGameScoreLeaderboard = defineOperation({
  name: 'getUsersPositionInGameScoreLeaderboard',
  service: 'scores',
  kind: 'read',
  summary: "Read a player's rank on a leaderboard, starting at 1; omitted if the player has no score",
  auth: 'public',
  input: z.object({ gameId: gameInput, wallet: addressInput, ...boardFields }),
  output: z.object({ success, position: z.exactOptional(z.int().min(1)) }),
  async handler({ input }, { db }: { db: Store }) {
    const game = await requireGame(db, input.gameId);
    const board = await requireBoard(db, game, input, { isPublic: true });
    const position = await db.read(readPlace, board, input.wallet);
    // Omitted rather than null: statically typed clients, such as a C# int, reject null.
    return position === null ? { success: true } : { success: true, position };
  },
});

export const getLeaderboardAround = defineOperation({
  name: 'getLeaderboardAround',
  service: 'scores',
  kind: 'read',
  summary: 'Read the leaderboard entries around a player, with ranks; none if the player has no score',
  auth: 'public',
  input: z.object({
    ...boardInput,
    wallet: addressInput,
    limit: withReason(
      z
        .int()
        .min(0)
        .default(defaultRowsAround)
        .transform((limit) => Math.min(limit || defaultRowsAround, maxRowsAround))
        .meta({
          description: `Number of entries, with the player's in the middle except near either end; default ${defaultRowsAround}, capped to ${maxRowsAround}`,
        }),
      'paging_invalid',
    ),
  }),
  cost: rowsCost(50),
  output: placedOutput,
  async handler({ input }, { db, publicUrls }: { db: Store; publicUrls: PublicUrls }) {
    const game = await requireGame(db, input.gameId);
    const board = await requireBoard(db, game, input, { isPublic: true });
    const rows = (await db.read(readAround, board, input.wallet, input.limit)) ?? [];
    return { success: true, leaderboard: toPlacedRows(rows, publicUrls) };
  },
});

export const getLeaderboardAmong = defineOperation({
  name: 'getLeaderboardAmong',
  service: 'scores',
  kind: 'read',
  summary:
    'Read the leaderboard entries of given players, such as friends, with their overall ranks, best first',
  auth: 'public',
  input: z.object({ ...boardInput, wallets: z.array(addressInput).min(1).max(maxAmong) }),
  cost: { text: 'one read for every 4 wallets', of: ({ wallets }) => wallets.length / 4 },
  output: placedOutput,
  async handler({ input }, { db, publicUrls }: { db: Store; publicUrls: PublicUrls }) {
    const game = await requireGame(db, input.gameId);
    const board = await requireBoard(db, game, input, { isPublic: true });
    const rows = await db.read(readAmong, board, input.wallets);
    return { success: true, leaderboard: toPlacedRows(rows, publicUrls) };
  },
});

export const readLeaderboard = defineOperation({
  name: 'readLeaderboard',
  service: 'scores',
  kind: 'read',
  summary: "Read a leaderboard of the server's own game, including private ones, with ranks",
  auth: 'game-secret',
  input: z.object({ ...boardFields, ...pagingOf() }),
  cost: rowsCost(50),
  output: placedOutput,
  async handler({ input, caller }, { db, publicUrls }: { db: Store; publicUrls: PublicUrls }) {
    const board = await requireBoard(db, caller.game, input, { isPublic: false });
    return { success: true, leaderboard: toPlacedRows(await rankedPageOf(db, board, input), publicUrls) };
  },
});

export const listLeaderboardScores = defineAdminOperation({
  name: 'listLeaderboardScores',
  kind: 'read',
  summary: 'List the entries of a leaderboard in any season, including private ones, with ranks',
  roles: everyRole,
  input: z.object({
    ...boardInput,
    ...paging,
    around: addressInput.optional().meta({
      description:
        'Return the `limit` entries around this player instead of a page; none if the player has no score',
    }),
  }),
  output: placedOutput,
  async handler({ input }, { db, publicUrls }: { db: Store; publicUrls: PublicUrls }) {
    const game = await requireGame(db, input.gameId);
    const board = await requireBoard(db, game, input, { isPublic: false });
    const rows =
      input.around === undefined
        ? await rankedPageOf(db, board, input)
        : ((await db.read(readAround, board, input.around, input.limit)) ?? []);
    return { success: true, leaderboard: toPlacedRows(rows, publicUrls) };
  },
});

export function toPlacedRows(rows: readonly PlacedScore[], publicUrls: PublicUrls): LeaderboardRow[] {
  return rows.map((row) => ({ ...toLeaderboardEntry(row, publicUrls), position: row.position }));
}

/** A leaderboard row as displayed: a default name and avatar stand in for what the player never chose. */
function toLeaderboardEntry(row: RankedScore, publicUrls: PublicUrls): LeaderboardEntry {
  const player = { wallet: row.normalizedAddress, username: row.username, avatar: row.avatar };
  return { ...row, username: displayName(player), avatar: publicUrls.avatar(player) };
}
