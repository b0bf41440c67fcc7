import type { Backups } from '../../src/features/administration/backups.ts';

/** The backups of a server whose database is in its data directory. */
export function backupsOf({ services }: { services: { backups: Backups | null } }): Backups {
  if (!services.backups) throw new Error('this server makes no backups');
  return services.backups;
}
