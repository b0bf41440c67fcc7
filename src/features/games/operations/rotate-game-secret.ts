import { z } from 'zod';
import { operators } from '../../../core/schemas/admin-role.ts';
import { idInput } from '../../../core/schemas/ids.ts';
import { success } from '../../../core/schemas/outcome.ts';
import type { Store } from '../../../core/storage/store.ts';
import { defineOperation } from '../../operation.ts';
import { addGameSecret } from '../commands.ts';
import type { SecretBox } from '../game-secret.ts';
import { newGameSecret } from '../game-secret.ts';

/** Ten years. */
const maxSeconds = 10 * 365 * 24 * 3600;

export const rotateGameSecret = defineOperation({
  name: 'rotateGameSecret',
  service: 'admin',
  kind: 'write',
  summary: 'Give a game a new secret, answered this once; the earlier ones go on working for a while',
  auth: 'admin',
  roles: operators,
  input: z.object({
    gameId: idInput,
    graceSeconds: z
      .number()
      .min(0)
      .max(maxSeconds)
      .default(3600)
      .meta({ description: 'How long the earlier secrets go on working' }),
    lifetimeSeconds: z
      .number()
      .positive()
      .max(maxSeconds)
      .optional()
      .meta({ description: 'When the new one expires; left out: never' }),
  }),
  output: z.object({ success, gameId: z.string(), gameSecret: z.string() }),
  async handler({ input }, { db, box }: { db: Store; box: SecretBox }) {
    const { gameId, graceSeconds, lifetimeSeconds } = input;
    const gameSecret = newGameSecret();
    await db.write(addGameSecret, gameId, box.sealSecret(gameSecret), {
      graceMs: Math.ceil(graceSeconds * 1000),
      lifetimeMs: lifetimeSeconds === undefined ? undefined : Math.ceil(lifetimeSeconds * 1000),
    });
    return { success: true, gameId, gameSecret };
  },
});
