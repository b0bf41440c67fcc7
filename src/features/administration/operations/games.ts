import { z } from 'zod';
import { invalidField } from '../../../core/errors.ts';
import { operators, owners } from '../../../core/schemas/admin-role.ts';
import { idInput, success } from '../../../core/schemas/fields.ts';
import type { Store } from '../../../core/storage/store.ts';
import type { AnyTable } from '../../../core/storage/table.ts';
import { allowedOrigin } from '../../games/allowed-origin.ts';
import { gameListing, gameName, gameOrder, gameRecord, gameUrl, policyChanges } from '../../games/game.ts';
import { gameDetailInput } from '../../games/game-details.ts';
import { requireGame } from '../../games/require-game.ts';
import { toGameRecord } from '../../games/stored-game.ts';
import { defineAdminOperation } from '../../operation.ts';
import type { GameAccess } from '../../sessions/game-access.ts';
import { changeGame } from '../commands.ts';
import { endSessionsInGame, eraseGameData } from '../game-eraser.ts';

export const updateGame = defineAdminOperation({
  name: 'updateGame',
  kind: 'write',
  summary:
    "Update a game's name, URL, image, page, order, origins, listing or policies; omitted fields are unchanged",
  roles: operators,
  input: z.object({
    gameId: idInput,
    name: gameName.optional(),
    url: z.union([gameUrl, z.literal('')]).optional(),
    allowedOrigins: z.array(allowedOrigin).max(100).optional(),
    policies: policyChanges.optional(),
    listing: gameListing.optional().meta({
      description:
        '`unlisted`: not in the public list; `archived`: its sessions end, and calls of its players and server are rejected (`game_archived`)',
    }),
    image: z.union([gameUrl, z.literal('')]).optional(),
    order: gameOrder.optional().meta({ description: 'Sort order in lists, lowest first' }),
    ...gameDetailInput,
  }),
  output: z.object({ success, game: gameRecord }),
  async handler({ input }, { db, gameAccess }: { db: Store; gameAccess: GameAccess }) {
    const { gameId, ...changes } = input;
    await gameAccess.validate(changes.policies?.access);
    const game = await db.write(changeGame, gameId, changes);
    if (game.listing === 'archived') await endSessionsInGame(db, gameId, 'game_archived');
    return { success: true, game: toGameRecord(game) };
  },
});

export const deleteGame = defineAdminOperation({
  name: 'deleteGame',
  kind: 'write',
  summary: 'Permanently delete a game and all its data',
  roles: owners,
  input: z.object({
    gameId: idInput,
    confirm: z
      .string()
      .max(200)
      .meta({ description: "The game's slug, so that no other game is deleted by mistake" }),
  }),
  output: z.object({ success }),
  async handler({ input }, { db, tables }: { db: Store; tables: readonly AnyTable[] }) {
    const { slug } = await requireGame(db, input.gameId);
    if (input.confirm !== slug) {
      throw invalidField('confirm', `must be the slug of the game, ${slug}`);
    }
    await eraseGameData(db, tables, input.gameId);
    return { success: true };
  },
});
