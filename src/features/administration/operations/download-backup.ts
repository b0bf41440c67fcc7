import { z } from 'zod';
import { operators } from '../../../core/schemas/admin-role.ts';
import { idInput, timestamp } from '../../../core/schemas/ids.ts';
import { success } from '../../../core/schemas/outcome.ts';
import { defineOperation } from '../../operation.ts';
import type { Backups } from '../backups.ts';
import { requireBackups } from '../require-backups.ts';

export const downloadBackup = defineOperation({
  name: 'downloadBackup',
  service: 'admin',
  // Changes nothing, but downloads contain the server's keys and so must be in the audit log.
  kind: 'write',
  summary: 'Create a download link for a backup, single use and valid for one minute',
  auth: 'admin',
  roles: operators,
  input: z.object({ name: idInput }),
  output: z.object({
    success,
    path: z.string().meta({ description: 'GET it from this server, without a token' }),
    expiresAt: timestamp,
  }),
  async handler({ input, caller }, { backups }: { backups: Backups }) {
    requireBackups(backups);
    return { success: true, ...(await backups.link(input.name, caller)) };
  },
});
