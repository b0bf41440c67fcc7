import { z } from 'zod';
import { operators } from '../../../core/schemas/admin-role.ts';
import { success } from '../../../core/schemas/outcome.ts';
import { defineOperation } from '../../operation.ts';
import { type Backups, backupRecord } from '../backups.ts';
import { requireBackups } from '../require-backups.ts';

export const makeBackup = defineOperation({
  name: 'makeBackup',
  service: 'admin',
  kind: 'write',
  summary: 'Make a backup in the backup directory; responds once it is complete and verified',
  auth: 'admin',
  roles: operators,
  input: z.object({
    withoutKeys: z
      .boolean()
      .default(false)
      .meta({ description: 'Omit the keys, which must then be backed up separately' }),
  }),
  output: z.object({ success, backup: backupRecord }),
  async handler({ input }, { backups }: { backups: Backups }) {
    requireBackups(backups);
    return { success: true, backup: await backups.make('manual', input) };
  },
});
