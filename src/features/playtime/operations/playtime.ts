import { z } from 'zod';
import type { VisiblePlayer } from '../../../cluster/players/player-part.ts';
import { GantryError } from '../../../core/errors.ts';
import { addressInput, id, success, timestamp } from '../../../core/schemas/fields.ts';
import { pagingOf } from '../../../core/schemas/paging.ts';
import type { Store } from '../../../core/storage/store.ts';
import { friendsScope, hasOpened } from '../../friends/friends-scope.ts';
import { friendWallets, privacyOf } from '../../friends/queries.ts';
import { findGame } from '../../games/queries.ts';
import { gameInput, isNamed, requireNamedGame } from '../../games/require-game.ts';
import { defineOperation, defineOtherForm, type SessionCaller } from '../../operation.ts';
import { type Cost, rowsCost } from '../../operation-cost.ts';
import { type Playtime, playtimeOf } from '../queries.ts';

interface Needs {
  db: Store;
  /** `visible`: what friends see of a player now; null: the player is offline to them. */
  players: { visible(wallet: string): VisiblePlayer | null };
}

const maxGames = 100;

const walletInput = addressInput.meta({
  description: "The player, or a friend who shows it (privacy's `showPlaytime`)",
});
const gameIdsInput = z.array(gameInput).max(maxGames).meta({ description: 'Ids or slugs' });
const namedGamesCost: Cost<{ gameIds?: readonly string[] | undefined }> = {
  text: 'one read for every 20 games of `gameIds`',
  of: ({ gameIds = [] }) => gameIds.length / 20,
};

const gamePlaytime = z
  .object({
    gameId: id,
    seconds: z.int().meta({ description: 'Including what is open now' }),
    sessions: z
      .int()
      .meta({ description: 'How often it was opened; again within a minute is the same session' }),
    firstAt: timestamp,
    lastAt: timestamp.meta({ description: 'When it was open last' }),
    playing: z.boolean().meta({ description: 'Whether the player has it open' }),
  })
  .meta({ id: 'GamePlaytime' });

const secondsOf = ({ ms }: { ms: number }) => Math.floor(ms / 1_000);

function toGamePlaytime(row: Playtime): z.infer<typeof gamePlaytime> {
  const { gameId, sessions, firstAt, lastAt, isPlaying } = row;
  return { gameId, seconds: secondsOf(row), sessions, firstAt, lastAt, playing: isPlaying };
}

/**
 * The playtime of a player, as far as the caller may see it: a launcher that of its player and of friends who show it, a
 * game only what was played in it. What a friend has open counts only while friends see it, so that playtime that grows
 * does not tell who plays but appears offline.
 * @throws GantryError `not_a_friend`, `friends_forbidden`
 */
async function visiblePlaytime(
  { db, players }: Needs,
  caller: SessionCaller,
  wallet = caller.wallet,
): Promise<Playtime[]> {
  const own = caller.game.kind === 'launcher' ? null : [caller.game.id];
  if (wallet === caller.wallet) return db.read(playtimeOf, wallet, own);
  const scope = await friendsScope(db, caller);
  const isFriend = (await db.read(friendWallets, caller.wallet)).includes(wallet);
  const isInScope = scope === null || (await hasOpened(db, scope, wallet));
  const shown = await db.read(privacyOf, wallet);
  if (!isFriend || !isInScope || !shown.showPlaytime) {
    throw new GantryError(
      'not_a_friend',
      'Only friends see how long a player has played, if the player shows it',
    );
  }
  // The settings too, because what is visible follows a moment after they have changed.
  const isGameShown = shown.showGame && shown.presence === 'friends' && players.visible(wallet)?.game;
  return db.read(playtimeOf, wallet, own, { withOpen: Boolean(isGameShown) });
}

/**
 * The ids of the games a caller names.
 * @throws GantryError `game_unknown`, and `not_a_launcher` when a game names another one
 */
async function gameIdsOf(db: Store, { game }: SessionCaller, names: readonly string[]): Promise<string[]> {
  const ids = await Promise.all(
    names.map(async (name) => (isNamed(game, name) ? game.id : (await requireNamedGame(db, name)).id)),
  );
  // After all look-ups, so that the refusal does not depend on which of them ends first.
  if (game.kind === 'launcher' || ids.every((id) => id === game.id)) return ids;
  throw new GantryError('not_a_launcher', "Only a launcher's session sees the playtime in other games");
}

export const getPlaytime = defineOperation({
  name: 'getPlaytime',
  service: 'launcher',
  kind: 'read',
  summary: 'Get how long the player, or a friend, has played each game',
  auth: 'player',
  input: z.object({
    gameIds: gameIdsInput
      .optional()
      .meta({ description: 'Ids or slugs; default: all games the session may see' }),
    wallet: walletInput.optional().meta({
      description: "A friend who shows it (privacy's `showPlaytime`); default: the player",
    }),
  }),
  cost: namedGamesCost,
  output: z.object({
    success,
    playtime: z
      .array(gamePlaytime)
      .meta({ description: 'Games played at least once, the last played first' }),
  }),
  async handler({ input: { gameIds, wallet }, caller }, needs: Needs) {
    const wanted = gameIds && new Set(await gameIdsOf(needs.db, caller, gameIds));
    const found = await visiblePlaytime(needs, caller, wallet);
    const shown = wanted ? found.filter(({ gameId }) => wanted.has(gameId)) : found;
    return { success: true, playtime: shown.map(toGamePlaytime) };
  },
});

export const listRecentGames = defineOperation({
  name: 'listRecentGames',
  service: 'launcher',
  kind: 'read',
  summary: 'List the games that the player has played, most recently played first',
  auth: 'player',
  input: z.object({ limit: z.int().min(1).max(100).default(20) }),
  cost: rowsCost(50),
  output: z.object({
    success,
    games: z.array(gamePlaytime.extend({ slug: z.string(), name: z.string(), image: z.string() })),
  }),
  async handler({ input: { limit }, caller }, needs: Needs) {
    const games = [];
    for (const row of await visiblePlaytime(needs, caller)) {
      const game = await needs.db.read(findGame, row.gameId);
      if (!game || game.listing === 'archived') continue;
      const { slug, name, image } = game;
      games.push({ ...toGamePlaytime(row), slug, name, image });
      if (games.length === limit) break;
    }
    return { success: true, games };
  },
});

export const getPlaytimeForGame = defineOperation({
  name: 'getPlaytimeForGame',
  service: 'profiles',
  kind: 'read',
  summary: 'Get how many seconds a player has played a game',
  auth: 'player',
  input: z.object({ wallet: walletInput, gameId: gameInput }),
  output: z.object({ success, secondsPlayed: z.int() }),
  async handler({ input: { wallet, gameId }, caller }, needs: Needs) {
    const [secondsPlayed = 0] = await secondsPlayedIn(needs, caller, wallet, [gameId]);
    return { success: true, secondsPlayed };
  },
});

export const getPlaytimeForGames = defineOperation({
  name: 'getPlaytimeForGames',
  service: 'profiles',
  kind: 'read',
  summary: 'Get how many seconds a player has played each of some games',
  auth: 'player',
  input: z.object({ wallet: walletInput, gameIds: gameIdsInput }),
  cost: namedGamesCost,
  output: z.object({
    success,
    secondsPlayed: z.array(z.int()).meta({ description: 'In the order of `gameIds`' }),
  }),
  async handler({ input: { wallet, gameIds }, caller }, needs: Needs) {
    return { success: true, secondsPlayed: await secondsPlayedIn(needs, caller, wallet, gameIds) };
  },
});

async function secondsPlayedIn(
  needs: Needs,
  caller: SessionCaller,
  wallet: string,
  names: readonly string[],
) {
  const gameIds = await gameIdsOf(needs.db, caller, names);
  const found = new Map(
    (await visiblePlaytime(needs, caller, wallet)).map((row) => [row.gameId, secondsOf(row)]),
  );
  return gameIds.map((gameId) => found.get(gameId) ?? 0);
}

export const getTotalPlaytime = defineOperation({
  name: 'getTotalPlaytime',
  service: 'profiles',
  kind: 'read',
  summary: 'Get how many seconds a player has played all games together',
  auth: 'player',
  input: z.object({ wallet: walletInput }),
  output: z.object({ success, playtime: z.int().meta({ description: 'In seconds' }) }),
  async handler({ input: { wallet }, caller }, needs: Needs) {
    const found = await visiblePlaytime(needs, caller, wallet);
    return { success: true, playtime: secondsOf({ ms: found.reduce((sum, { ms }) => sum + ms, 0) }) };
  },
});

export const getGamesHistory = defineOperation({
  name: 'getGamesHistory',
  service: 'profiles',
  kind: 'read',
  summary: 'List the latest session of a player in each game, most recently played first',
  auth: 'player',
  input: z.object({ wallet: walletInput, ...pagingOf() }),
  cost: rowsCost(50),
  output: z.object({
    success,
    currentlyPlaying: z.array(z.object({ gameId: id, started: timestamp })),
    history: z.array(z.object({ gameId: id, started: timestamp, ended: timestamp })),
  }),
  async handler({ input: { wallet, limit, skip }, caller }, needs: Needs) {
    const found = await visiblePlaytime(needs, caller, wallet);
    return {
      success: true,
      currentlyPlaying: found
        .filter(({ isPlaying }) => isPlaying)
        .map(({ gameId, startedAt: started }) => ({ gameId, started })),
      history: found
        .filter(({ isPlaying }) => !isPlaying)
        .slice(skip, skip + limit)
        .map(({ gameId, startedAt: started, lastAt: ended }) => ({ gameId, started, ended })),
    };
  },
});

const lastPlayed = z.object({
  success,
  gameId: z.exactOptional(id).meta({ description: 'Omitted for players who have played nothing' }),
  currentlyPlaying: z.exactOptional(z.boolean()),
  playedAt: z.exactOptional(timestamp),
  duration: z.exactOptional(z.int()).meta({ description: 'Of the latest session, in seconds' }),
});

export const getLastPlayed = defineOperation({
  name: 'getLastPlayed',
  service: 'profiles',
  kind: 'read',
  summary: 'Get the game that a player has open or played last',
  auth: 'player',
  input: z.object({ wallet: walletInput }),
  otherForm: defineOtherForm({
    auth: 'player',
    isUsed: ({ asText }) => asText !== undefined,
    input: z.object({ asText: walletInput }),
    output: lastPlayed,
    handler: ({ input, caller }, needs: Needs) => lastPlayedOf(needs, caller, input.asText),
  }),
  output: lastPlayed,
  handler: ({ input, caller }, needs: Needs) => lastPlayedOf(needs, caller, input.wallet),
});

async function lastPlayedOf(needs: Needs, caller: SessionCaller, wallet: string) {
  const [last] = await visiblePlaytime(needs, caller, wallet);
  if (!last) return { success: true };
  const { gameId, isPlaying, startedAt, lastAt } = last;
  const duration = secondsOf({ ms: Math.max(0, lastAt - startedAt) });
  return { success: true, gameId, currentlyPlaying: isPlaying, playedAt: lastAt, duration };
}
