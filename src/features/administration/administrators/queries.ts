import { query, type ReadSteps } from '../../../core/storage/query.ts';
import { type AdministratorRecord, maxAdministrators, toAdministratorRecord } from './administrator.ts';
import { administrators } from './tables.ts';

/**
 * The administrator whose token has this hash, and whether the token has expired; null when there is none. Not cached
 * but read for every call, so that revocations and role changes take effect immediately on every node.
 */
export const findAdministratorByToken = query(
  'findAdministratorByToken',
  function* (
    read,
    tokenHash: string,
  ): ReadSteps<{
    administrator: AdministratorRecord;
    isExpired: boolean;
  } | null> {
    const row = yield* read.get(administrators.byToken, tokenHash);
    if (!row) return null;
    return {
      administrator: toAdministratorRecord(row),
      isExpired: row.expiresAt !== null && row.expiresAt <= read.now,
    };
  },
);

/** One administrator; null when there is none with this id. */
export const findAdministrator = query(
  'findAdministrator',
  function* (read, administratorId: string): ReadSteps<AdministratorRecord | null> {
    const row = yield* read.get(administrators, administratorId);
    return row ? toAdministratorRecord(row) : null;
  },
);

/** All administrators, by name. */
export const listAllAdministrators = query('listAllAdministrators', function* (read): ReadSteps<
  AdministratorRecord[]
> {
  const rows = yield* read.list(administrators.byName, [], { limit: maxAdministrators });
  return rows.map(toAdministratorRecord);
});
