import { z } from 'zod';
import { GantryError } from '../../../core/errors.ts';
import { operators } from '../../../core/schemas/admin-role.ts';
import { idInput, success, timestamp } from '../../../core/schemas/fields.ts';
import type { Store } from '../../../core/storage/store.ts';
import { defineAdminOperation } from '../../operation.ts';
import {
  backupSchedule,
  changeBackupSchedule,
  defaultKeep,
  everyHours,
  keptBackups,
  readBackupSchedule,
} from '../backup-schedule.ts';
import { type Backups, backupRecord, runningBackup } from '../backups.ts';

/** What to do where the database server makes the backups. */
const ofServer =
  'The database is on PostgreSQL: back it up with pg_dump, or with base backups and WAL archiving. Also keep ' +
  'GANTRY_SECRET_KEY, which encrypts the keys in the database. See the manual: /docs/scaling-out#backups';

export const listBackups = defineAdminOperation({
  name: 'listBackups',
  kind: 'read',
  summary: 'List the backups, newest first, with the schedule and the backup in progress',
  roles: operators,
  input: z.object({}),
  output: z.object({
    success,
    unavailable: z
      .string()
      .nullable()
      .meta({ description: 'Why backups are unavailable here, and what to do instead; null when available' }),
    backups: z.array(backupRecord),
    running: runningBackup.nullable().meta({ description: 'The backup in progress on the responding node' }),
    schedule: backupSchedule.nullable().meta({ description: 'Null when no backups are scheduled' }),
  }),
  async handler(_request, { db, backups }: { db: Store; backups: Backups | null }) {
    return {
      success: true,
      unavailable: backups ? null : ofServer,
      backups: backups ? await backups.list() : [],
      running: backups?.running() ?? null,
      schedule: (backups && (await db.read(readBackupSchedule))?.schedule) ?? null,
    };
  },
});

export const makeBackup = defineAdminOperation({
  name: 'makeBackup',
  kind: 'write',
  summary: 'Create a backup in the backup directory; responds once it is complete and verified',
  roles: operators,
  input: z.object({
    withoutKeys: z
      .boolean()
      .default(false)
      .meta({ description: 'Omit the keys, which must then be backed up separately' }),
  }),
  output: z.object({ success, backup: backupRecord }),
  async handler({ input }, { backups }: { backups: Backups | null }) {
    return { success: true, backup: await required(backups).make('manual', input) };
  },
});

export const downloadBackup = defineAdminOperation({
  name: 'downloadBackup',
  // Changes nothing, but downloads contain the server's keys and so must be in the audit log.
  kind: 'write',
  summary: 'Create a single-use download link for a backup, valid for one minute',
  roles: operators,
  input: z.object({ name: idInput }),
  output: z.object({
    success,
    path: z.string().meta({ description: 'Path on this server; GET it without a token' }),
    expiresAt: timestamp,
  }),
  async handler({ input, caller }, { backups }: { backups: Backups | null }) {
    return { success: true, ...(await required(backups).link(input.name, caller)) };
  },
});

export const removeBackup = defineAdminOperation({
  name: 'removeBackup',
  kind: 'write',
  summary: 'Delete a backup from the backup directory',
  roles: operators,
  input: z.object({ name: idInput }),
  output: z.object({ success }),
  async handler({ input }, { backups }: { backups: Backups | null }) {
    await required(backups).remove(input.name);
    return { success: true };
  },
});

export const setBackupSchedule = defineAdminOperation({
  name: 'setBackupSchedule',
  kind: 'write',
  summary: 'Set or remove the backup schedule',
  roles: operators,
  input: z.object({
    everyHours: everyHours.nullable().meta({
      description:
        'Hours between backups; null removes the schedule. A new schedule starts with a backup immediately',
    }),
    keep: keptBackups
      .default(defaultKeep)
      .meta({ description: 'Number of scheduled backups to keep; older ones are deleted' }),
  }),
  output: z.object({ success, schedule: backupSchedule.nullable() }),
  async handler({ input }, { db, backups }: { db: Store; backups: Backups | null }) {
    required(backups);
    const { everyHours: hours, keep } = input;
    const wanted = hours === null ? null : { everyHours: hours, keep };
    return { success: true, schedule: await db.write(changeBackupSchedule, wanted) };
  },
});

/** @throws GantryError `backup_unavailable` when backups are made by the database server */
function required(backups: Backups | null): Backups {
  if (backups === null) throw new GantryError('backup_unavailable', ofServer);
  return backups;
}
