import { z } from 'zod';
import { operators } from '../../core/schemas/admin-role.ts';
import { idInput, timestamp } from '../../core/schemas/ids.ts';
import { success } from '../../core/schemas/outcome.ts';
import { defineOperation } from '../../operations/define.ts';
import type { Backups } from '../backups.ts';
import { requireBackups } from '../require-backups.ts';

export const downloadBackup = defineOperation({
  name: 'downloadBackup',
  service: 'admin',
  // It changes nothing, but who took the keys out of the server is to be in the audit log.
  kind: 'write',
  summary: 'Give a link to download a backup by: it works once, for a minute',
  auth: 'admin',
  roles: operators,
  input: z.object({ name: idInput }),
  output: z.object({
    success,
    path: z.string().meta({ description: 'To be read with GET from this server, without a token' }),
    expiresAt: timestamp,
  }),
  async handler({ input, caller }, { backups }: { backups: Backups }) {
    requireBackups(backups);
    return { success: true, ...(await backups.link(input.name, caller)) };
  },
});
