import { GantryError } from '../../core/errors.ts';
import type { Backups } from './backups.ts';

/** @throws GantryError `backup_unavailable` when backups are made by the database server */
export function requireBackups({ unavailable }: Backups): void {
  if (unavailable !== null) throw new GantryError('backup_unavailable', unavailable);
}
