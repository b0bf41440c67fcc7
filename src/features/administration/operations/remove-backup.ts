import { z } from 'zod';
import { operators } from '../../../core/schemas/admin-role.ts';
import { idInput } from '../../../core/schemas/ids.ts';
import { success } from '../../../core/schemas/outcome.ts';
import { defineOperation } from '../../operation.ts';
import type { Backups } from '../backups.ts';
import { requireBackups } from '../require-backups.ts';

export const removeBackup = defineOperation({
  name: 'removeBackup',
  service: 'admin',
  kind: 'write',
  summary: 'Delete a backup from the backup directory',
  auth: 'admin',
  roles: operators,
  input: z.object({ name: idInput }),
  output: z.object({ success }),
  async handler({ input }, { backups }: { backups: Backups }) {
    requireBackups(backups);
    await backups.remove(input.name);
    return { success: true };
  },
});
