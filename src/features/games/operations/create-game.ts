import { z } from 'zod';
import { operators } from '../../../core/schemas/admin-role.ts';
import { success } from '../../../core/schemas/outcome.ts';
import type { Store } from '../../../core/storage/store.ts';
import { defineOperation } from '../../operation.ts';
import { registerGame } from '../commands.ts';
import {
  gameKind,
  gameListing,
  gameName,
  gameOrder,
  gameRecord,
  gameSlug,
  gameUrl,
  origin,
  policyChanges,
} from '../game.ts';
import type { SecretBox } from '../game-secret.ts';
import { newGameSecret } from '../game-secret.ts';
import { toGameRecord } from './to-game-record.ts';

export const createGame = defineOperation({
  name: 'createGame',
  service: 'admin',
  kind: 'write',
  summary: 'Register a game; its secret is answered this once',
  auth: 'admin',
  roles: operators,
  input: z.object({
    name: gameName,
    slug: gameSlug.optional(),
    kind: gameKind.optional(),
    url: gameUrl.optional(),
    allowedOrigins: z.array(origin).max(100).optional(),
    policies: policyChanges.optional(),
    listing: gameListing.optional(),
    image: gameUrl.optional(),
    order: gameOrder.optional(),
  }),
  output: z.object({ success, gameId: z.string(), gameSecret: z.string(), game: gameRecord }),
  async handler({ input }, { db, box }: { db: Store; box: SecretBox }) {
    const gameSecret = newGameSecret();
    const game = await db.write(registerGame, input, box.sealSecret(gameSecret));
    return { success: true, gameId: game.id, gameSecret, game: toGameRecord(game) };
  },
});
