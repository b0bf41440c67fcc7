import { z } from 'zod';
import { everyRole, operators } from '../../../core/schemas/admin-role.ts';
import { id, success } from '../../../core/schemas/fields.ts';
import { pagedOutput, pagingOf } from '../../../core/schemas/paging.ts';
import type { Store } from '../../../core/storage/store.ts';
import { defineAdminOperation, defineOperation } from '../../operation.ts';
import { rowsCost } from '../../operation-cost.ts';
import type { GuestSettings } from '../../players/guest-settings.ts';
import type { GameAccess } from '../../sessions/game-access.ts';
import { allowedOrigin } from '../allowed-origin.ts';
import { registerGame } from '../commands.ts';
import {
  type Game,
  gameKind,
  gameListing,
  gameName,
  gameOrder,
  gamePolicies,
  gameRecord,
  gameSlug,
  gameUrl,
  policyChanges,
} from '../game.ts';
import { gameDetailInput } from '../game-details.ts';
import { newGameSecret, type SecretBox } from '../game-secret.ts';
import { allGames, gamesBeingDeleted } from '../queries.ts';
import { toGameRecord } from '../stored-game.ts';

/** The services that say more about a game than its row. */
export interface ListedWith {
  guests: GuestSettings;
  players: {
    /** How many players have a game open, on all nodes. */
    playing(gameId: string): number;
  };
}

/** A game as anyone may see it. */
export const listedGame = z
  .object({
    gameId: id,
    slug: z.string(),
    name: z.string(),
    kind: gameKind,
    url: z.string().meta({
      description: 'URL of the game: absolute, or a path on this server; empty when it has no page',
    }),
    tokenIn: gamePolicies.shape.tokenIn.unwrap().meta({
      description: "Where the game's URL carries the token: `?token=` or `#token=`",
    }),
    image: z.string().meta({
      description: 'Image URL: absolute, or a path on this server; empty when it has none',
    }),
    guests: z.boolean().meta({
      description: 'Whether guests may sign in with `createGuest`',
    }),
    playing: z.int().meta({ description: 'How many players have the game open' }),
  })
  .meta({ id: 'ListedGame' });

export function toListedGame(
  { id: gameId, slug, name, kind, url, image, policies }: Game,
  { guests, players }: ListedWith,
): z.output<typeof listedGame> {
  const { tokenIn, guests: admitted } = policies;
  const playing = players.playing(gameId);
  return {
    gameId,
    slug,
    name,
    kind,
    url,
    tokenIn,
    image,
    guests: guests.areAllowed && admitted === 'allowed',
    playing,
  };
}

export const getGames = defineOperation({
  name: 'getGames',
  service: 'launcher',
  kind: 'read',
  summary: 'List the public games and launchers in display order; an unlisted one is found only by its slug',
  auth: 'public',
  input: z.object({ ...pagingOf(), kind: gameKind.optional(), slug: gameSlug.optional() }),
  cost: rowsCost(50),
  output: pagedOutput(listedGame),
  async handler({ input: { limit, skip, kind, slug } }, { db, guests, players }: { db: Store } & ListedWith) {
    const games = (await db.read(allGames)).filter(
      (game) =>
        (kind === undefined || game.kind === kind) &&
        (slug === undefined ? game.listing === 'listed' : game.slug === slug && game.listing !== 'archived'),
    );
    const data = games.slice(skip, skip + limit).map((game) => toListedGame(game, { guests, players }));
    return { total: games.length, limit, skip, data };
  },
});

export const listGames = defineAdminOperation({
  name: 'listGames',
  kind: 'read',
  summary: 'List all games, including unlisted and archived ones, in display order',
  roles: everyRole,
  input: z.object({}),
  output: z.object({ success, games: z.array(gameRecord) }),
  async handler(_request, { db }: { db: Store }) {
    const [games, deleting] = [await db.read(allGames), await db.read(gamesBeingDeleted)];
    return { success: true, games: games.map((game) => toGameRecord(game, deleting.has(game.id))) };
  },
});

export const createGame = defineAdminOperation({
  name: 'createGame',
  kind: 'write',
  summary: 'Create a game; returns its secret (shown once)',
  roles: operators,
  input: z.object({
    name: gameName,
    slug: gameSlug.optional(),
    kind: gameKind.optional(),
    url: gameUrl.optional(),
    allowedOrigins: z.array(allowedOrigin).max(100).optional(),
    policies: policyChanges.optional(),
    listing: gameListing.optional(),
    image: gameUrl.optional(),
    order: gameOrder.optional(),
    ...gameDetailInput,
  }),
  output: z.object({ success, gameId: z.string(), gameSecret: z.string(), game: gameRecord }),
  async handler({ input }, { db, box, gameAccess }: { db: Store; box: SecretBox; gameAccess: GameAccess }) {
    await gameAccess.validate(input.policies?.access);
    const gameSecret = newGameSecret();
    const game = await db.write(registerGame, input, box.sealSecret(gameSecret));
    return { success: true, gameId: game.id, gameSecret, game: toGameRecord(game) };
  },
});
