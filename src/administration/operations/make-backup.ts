import { z } from 'zod';
import { operators } from '../../core/schemas/admin-role.ts';
import { success } from '../../core/schemas/outcome.ts';
import { defineOperation } from '../../operations/define.ts';
import { type Backups, backupRecord } from '../backups.ts';
import { requireBackups } from '../require-backups.ts';

export const makeBackup = defineOperation({
  name: 'makeBackup',
  service: 'admin',
  kind: 'write',
  summary: 'Make a backup in the directory of backups; answered once it is complete and checked',
  auth: 'admin',
  roles: operators,
  input: z.object({
    withoutKeys: z
      .boolean()
      .default(false)
      .meta({ description: 'Leave out the keys, which are then to be backed up apart' }),
  }),
  output: z.object({ success, backup: backupRecord }),
  async handler({ input }, { backups }: { backups: Backups }) {
    requireBackups(backups);
    return { success: true, backup: await backups.make('manual', input) };
  },
});
