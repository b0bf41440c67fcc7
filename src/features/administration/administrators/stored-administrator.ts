import { adminRole } from '../../../core/schemas/admin-role.ts';
import type { AdministratorRecord } from './administrator.ts';
import type { AdministratorRow } from './tables.ts';

/** A row without the token's hash, as owners see it. */
export function toAdministratorRecord(row: AdministratorRow): AdministratorRecord {
  return {
    administratorId: row.id,
    name: row.name,
    role: adminRole.parse(row.role),
    createdAt: row.createdAt,
    expiresAt: row.expiresAt,
    lastUsedAt: row.lastUsedAt,
  };
}
