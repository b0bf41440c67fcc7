import { createHash } from 'node:crypto';
import { z } from 'zod';
import { success, text } from '../../../core/schemas/fields.ts';
import { notSeen } from '../../../core/schemas/seen-text.ts';
import type { Store } from '../../../core/storage/store.ts';
import { gameVersion } from '../../games/version.ts';
import { defineOperation } from '../../operation.ts';
import { fixedCost } from '../../operation-cost.ts';
import { buildLabel, configKey, maxKeys } from '../config-entry.ts';
import { type ConfigReader, valueFor } from '../evaluate.ts';
import { findCohortId, findConfig } from '../queries.ts';

export const getConfig = defineOperation({
  name: 'getConfig',
  service: 'launcher',
  kind: 'read',
  summary: "Read the game's config as it is for the player; the game's server reads private keys too",
  auth: 'player-or-game',
  input: z.object({
    keys: z
      .array(configKey)
      .max(maxKeys)
      .optional()
      .meta({ description: 'Omitted: all; keys that do not exist are left out' }),
    label: buildLabel.optional().meta({
      description: "The label of the game's build, for rules with a `label`, such as `beta` or `android`",
    }),
    gameVersion: gameVersion.optional().meta({
      description:
        'For rules with a `version`; default: `X-Game-Version`, or `auth.gameVersion` of the socket',
    }),
    ifNoneMatch: notSeen(text(1, 100), 'id').optional().meta({
      description: 'The `etag` of an earlier answer: values are only sent if they may differ from those',
    }),
  }),
  cost: fixedCost('read', 2),
  output: z.object({
    success,
    version: z.int().meta({ description: '0: nothing was ever set' }),
    etag: z.string().meta({ description: 'For `ifNoneMatch` of the next read' }),
    unchanged: z
      .boolean()
      .meta({ description: 'Whether the values are those of `ifNoneMatch`, and left out' }),
    values: z.record(z.string(), z.unknown()).meta({ description: 'Values by key' }),
  }),
  async handler({ input, caller }, { db }: { db: Store }) {
    const config = await db.read(findConfig, caller.game.id);
    const { wallet } = caller;
    const readsPrivate = caller.session === null || caller.hasSecret;
    const reader: ConfigReader = {
      wallet,
      cohortId: caller.session ? caller.player.userId : wallet && (await db.read(findCohortId, wallet)),
      gameVersion: input.gameVersion ?? null,
      label: input.label ?? null,
    };
    const keys = input.keys && new Set(input.keys);
    const etag = etagOf(config, [reader, readsPrivate, keys ? [...keys].sort() : null]);
    const { version } = config;
    if (input.ifNoneMatch === etag) return { success: true, version, etag, unchanged: true, values: {} };
    const shown = config.entries.filter(
      (entry) => (entry.public || readsPrivate) && (!keys || keys.has(entry.key)),
    );
    const values = Object.fromEntries(shown.map((entry) => [entry.key, valueFor(entry, reader)]));
    return { success: true, version, etag, unchanged: false, values };
  },
});

/**
 * Identifies the values of an answer: the same version, read by the same player and build, for the same keys, has the
 * same ones. The time tells versions with the same number apart, after a backup was restored.
 */
function etagOf({ version, at }: { version: number; at: number }, readAs: unknown): string {
  const hash = createHash('sha256')
    .update(JSON.stringify([at, readAs]))
    .digest('base64url');
  return `${version}-${hash.slice(0, 16)}`;
}
