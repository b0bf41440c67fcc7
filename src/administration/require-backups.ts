import { GantryError } from '../errors.ts';
import type { Backups } from './backups.ts';

/** @throws GantryError `backup_unavailable` where the database makes its own backups */
export function requireBackups({ unavailable }: Backups): void {
  if (unavailable !== null) throw new GantryError('backup_unavailable', unavailable);
}
