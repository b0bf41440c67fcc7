import { z } from 'zod';
import { GantryError } from '../../../core/errors.ts';
import { owners } from '../../../core/schemas/admin-role.ts';
import { idInput } from '../../../core/schemas/ids.ts';
import { success } from '../../../core/schemas/outcome.ts';
import type { Store } from '../../../core/storage/store.ts';
import { requireGame } from '../../games/require-game.ts';
import { defineOperation } from '../../operation.ts';
import type { GameEraser } from '../game-eraser.ts';

export const deleteGame = defineOperation({
  name: 'deleteGame',
  service: 'admin',
  kind: 'write',
  summary: 'Permanently delete a game with all its data',
  auth: 'admin',
  roles: owners,
  input: z.object({
    gameId: idInput,
    confirm: z
      .string()
      .max(200)
      .meta({ description: "The game's slug, so that no other game is deleted by mistake" }),
  }),
  output: z.object({ success }),
  async handler({ input }, { db, gameEraser }: { db: Store; gameEraser: GameEraser }) {
    const { slug } = await requireGame(db, input.gameId);
    if (input.confirm !== slug) {
      const field = { path: 'confirm', message: `must be the slug of the game, ${slug}` };
      throw new GantryError('input_invalid', `${field.path}: ${field.message}`, { fields: [field] });
    }
    await gameEraser.erase(input.gameId);
    return { success: true };
  },
});
