import { z } from 'zod';
import type { Signals } from '../../../core/events/signals.ts';
import { everyRole, operators } from '../../../core/schemas/admin-role.ts';
import { idInput, success, text, timestamp } from '../../../core/schemas/fields.ts';
import { pagedOutput, pageOf, paging } from '../../../core/schemas/paging.ts';
import { notSeen } from '../../../core/schemas/seen-text.ts';
import type { Store } from '../../../core/storage/store.ts';
import { requireGame } from '../../games/require-game.ts';
import { defineAdminOperation } from '../../operation.ts';
import { type ChangedConfig, changeConfig, configVersionUnknown, restoreConfig } from '../commands.ts';
import { configChanges, configEntries } from '../config-entry.ts';
import { configSignal } from '../events.ts';
import { findConfig, findConfigVersion, listVersions } from '../queries.ts';

const ifVersion = notSeen(z.int().min(0), 'id').meta({
  description: 'The version that is changed, 0 when nothing was ever set; refused if there is a newer one',
});
const comment = text(0, 500)
  .default('')
  .meta({ description: 'Reason for the change, shown in the list of versions' });

const changedOutput = z.object({
  success,
  version: z.int().meta({ description: 'The current version; the same when nothing was changed' }),
  keys: z.array(z.string()).meta({ description: 'The changed keys' }),
});

const versionSummary = {
  version: z.int(),
  at: timestamp,
  actor: z.string().meta({ description: "The administrator's name at the time, `admin-token` or `cli`" }),
  comment: z.string(),
  keys: z.array(z.string()).meta({ description: 'The keys changed since the previous version' }),
  restored: z.int().nullable().meta({ description: 'The version it was rolled back to; null: none' }),
};

/** Announces a change to the game's sessions. */
function announced(gameId: string, changed: ChangedConfig, signals: Signals) {
  if (changed.keys.length > 0) signals.sendAlways(configSignal(gameId, changed));
  return { success: true, version: changed.version, keys: changed.keys };
}

export const setConfig = defineAdminOperation({
  name: 'setConfig',
  kind: 'write',
  summary: "Change keys of a game's config, and announce the change to its running games",
  roles: operators,
  input: z.object({ gameId: idInput, changes: configChanges, ifVersion, comment }),
  output: changedOutput,
  async handler({ input, caller }, { db, signals }: { db: Store; signals: Signals }) {
    const author = { actor: caller.actor, comment: input.comment };
    const changed = await db.write(changeConfig, input.gameId, input.changes, input.ifVersion, author);
    return announced(input.gameId, changed, signals);
  },
});

export const rollBackConfig = defineAdminOperation({
  name: 'rollBackConfig',
  kind: 'write',
  summary: "Roll a game's config back to an earlier version, as a new version",
  roles: operators,
  input: z.object({
    gameId: idInput,
    toVersion: notSeen(z.int().min(1), 'id').meta({ description: 'The version whose content it gets' }),
    ifVersion,
    comment,
  }),
  output: changedOutput,
  async handler({ input, caller }, { db, signals }: { db: Store; signals: Signals }) {
    const author = { actor: caller.actor, comment: input.comment };
    const changed = await db.write(restoreConfig, input.gameId, input.toVersion, input.ifVersion, author);
    return announced(input.gameId, changed, signals);
  },
});

export const readConfig = defineAdminOperation({
  name: 'readConfig',
  kind: 'read',
  summary: "Read a game's whole config, with private keys and rules, as it is or was at a version",
  roles: everyRole,
  input: z.object({
    gameId: idInput,
    version: notSeen(z.int().min(1), 'id').optional().meta({ description: 'Omitted: the current one' }),
  }),
  output: z.object({ success, version: z.int(), at: timestamp, entries: configEntries }),
  async handler({ input: { gameId, version } }, { db }: { db: Store }) {
    await requireGame(db, gameId);
    if (version === undefined) {
      const config = await db.read(findConfig, gameId);
      return { success: true, version: config.version, at: config.at, entries: [...config.entries] };
    }
    const found = await db.read(findConfigVersion, gameId, version);
    if (!found) throw configVersionUnknown(version);
    return { success: true, version, at: found.at, entries: found.entries };
  },
});

export const listConfigVersions = defineAdminOperation({
  name: 'listConfigVersions',
  kind: 'read',
  summary: "List the versions of a game's config, newest first, with the keys each changed",
  roles: everyRole,
  input: z.object({ gameId: idInput, ...paging }),
  output: pagedOutput(z.object(versionSummary)),
  async handler({ input: { gameId, ...page } }, { db }: { db: Store }) {
    await requireGame(db, gameId);
    return pageOf(page, await db.read(listVersions, gameId, page));
  },
});
