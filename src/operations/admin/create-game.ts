import { z } from 'zod';
import { newGameSecret } from '../../auth/game-secret.ts';
import {
  gameKind,
  gameName,
  gameRecord,
  gameSlug,
  gameUrl,
  origin,
  policyChanges,
} from '../../domain/game.ts';
import { success } from '../../domain/outcome.ts';
import { defineOperation } from '../define.ts';
import { toGameRecord } from './to-game-record.ts';

export const createGame = defineOperation({
  name: 'createGame',
  service: 'admin',
  kind: 'write',
  summary: 'Register a game; its secret is answered this once',
  auth: 'admin',
  input: z.object({
    name: gameName,
    slug: gameSlug.optional(),
    kind: gameKind.optional(),
    url: gameUrl.optional(),
    allowedOrigins: z.array(origin).max(100).optional(),
    policies: policyChanges.optional(),
  }),
  output: z.object({ success, gameId: z.string(), gameSecret: z.string(), game: gameRecord }),
  async handler({ input }, { store, box }) {
    const gameSecret = newGameSecret();
    const game = await store.games.create(input, box.sealSecret(gameSecret));
    return { success: true, gameId: game.id, gameSecret, game: toGameRecord(game) };
  },
});
