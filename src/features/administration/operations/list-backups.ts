import { z } from 'zod';
import { operators } from '../../../core/schemas/admin-role.ts';
import { success } from '../../../core/schemas/outcome.ts';
import type { Store } from '../../../core/storage/store.ts';
import { defineOperation } from '../../operation.ts';
import { backupSchedule } from '../backup-schedule.ts';
import { readBackupSchedule } from '../backup-schedule-commands.ts';
import { type Backups, backupRecord, runningBackup } from '../backups.ts';

export const listBackups = defineOperation({
  name: 'listBackups',
  service: 'admin',
  kind: 'read',
  summary: 'List the backups, newest first, with the schedule and the backup in progress',
  auth: 'admin',
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
  async handler(_request, { db, backups }: { db: Store; backups: Backups }) {
    const { unavailable } = backups;
    const found = unavailable === null ? await db.read(readBackupSchedule) : null;
    return {
      success: true,
      unavailable,
      backups: unavailable === null ? await backups.list() : [],
      running: backups.running(),
      schedule: found?.schedule ?? null,
    };
  },
});
