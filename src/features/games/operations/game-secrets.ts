import { z } from 'zod';
import { everyRole, operators } from '../../../core/schemas/admin-role.ts';
import { idInput, success, timestamp } from '../../../core/schemas/fields.ts';
import type { Store } from '../../../core/storage/store.ts';
import { defineAdminOperation } from '../../operation.ts';
import { addGameSecret, expireGameSecret } from '../commands.ts';
import { newGameSecret, type SecretBox } from '../game-secret.ts';
import { summarizeSecrets } from '../queries.ts';
import { requireGame } from '../require-game.ts';

export const listGameSecrets = defineAdminOperation({
  name: 'listGameSecrets',
  kind: 'read',
  summary: "List a game's active secrets by fingerprint",
  roles: everyRole,
  input: z.object({ gameId: idInput }),
  output: z.object({
    success,
    secrets: z.array(
      z.object({ fingerprint: z.string(), createdAt: timestamp, expiresAt: timestamp.nullable() }),
    ),
  }),
  async handler({ input }, { db }: { db: Store }) {
    await requireGame(db, input.gameId);
    return { success: true, secrets: await db.read(summarizeSecrets, input.gameId) };
  },
});

/** Ten years. */
const maxSeconds = 10 * 365 * 24 * 3600;

export const rotateGameSecret = defineAdminOperation({
  name: 'rotateGameSecret',
  kind: 'write',
  summary:
    "Rotate a game's secret; returns the new one (shown once), and earlier ones stay valid for the grace period",
  roles: operators,
  input: z.object({
    gameId: idInput,
    graceSeconds: z
      .number()
      .min(0)
      .max(maxSeconds)
      .default(3600)
      .meta({ description: 'Grace period in seconds during which earlier secrets stay valid' }),
    lifetimeSeconds: z
      .number()
      .positive()
      .max(maxSeconds)
      .optional()
      .meta({ description: 'Lifetime of the new secret in seconds; default: it does not expire' }),
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

export const revokeGameSecret = defineAdminOperation({
  name: 'revokeGameSecret',
  kind: 'write',
  summary: 'Revoke a game secret immediately',
  roles: operators,
  input: z.object({ gameId: idInput, fingerprint: z.string() }),
  output: z.object({ success }),
  async handler({ input }, { db }: { db: Store }) {
    await db.write(expireGameSecret, input.gameId, input.fingerprint);
    return { success: true };
  },
});
