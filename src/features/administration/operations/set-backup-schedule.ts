import { z } from 'zod';
import { operators } from '../../../core/schemas/admin-role.ts';
import { success } from '../../../core/schemas/outcome.ts';
import type { Store } from '../../../core/storage/store.ts';
import { defineOperation } from '../../operation.ts';
import { backupSchedule, defaultKeep, everyHours, keptBackups } from '../backup-schedule.ts';
import { changeBackupSchedule } from '../backup-schedule-commands.ts';
import type { Backups } from '../backups.ts';
import { requireBackups } from '../require-backups.ts';

export const setBackupSchedule = defineOperation({
  name: 'setBackupSchedule',
  service: 'admin',
  kind: 'write',
  summary: 'Schedule backups at an interval of hours and limit how many are kept, or remove the schedule',
  auth: 'admin',
  roles: operators,
  input: z.object({
    everyHours: everyHours.nullable().meta({
      description: 'Null removes the schedule. The first backup of a new schedule is made immediately',
    }),
    keep: keptBackups
      .default(defaultKeep)
      .meta({ description: 'How many scheduled backups are kept; older ones are deleted' }),
  }),
  output: z.object({ success, schedule: backupSchedule.nullable() }),
  async handler({ input }, { db, backups }: { db: Store; backups: Backups }) {
    requireBackups(backups);
    const { everyHours: hours, keep } = input;
    const wanted = hours === null ? null : { everyHours: hours, keep };
    return { success: true, schedule: await db.write(changeBackupSchedule, wanted) };
  },
});
