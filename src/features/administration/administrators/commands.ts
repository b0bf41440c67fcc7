import { GantryError } from '../../../core/errors.ts';
import { lockAdministratorList } from '../../../core/events/stream-locks.ts';
import type { AdminRole } from '../../../core/schemas/admin-role.ts';
import { command, type Steps, type Tx } from '../../../core/storage/command.ts';
import {
  type AdministratorRecord,
  maxAdministrators,
  nameKeyOf,
  toAdministratorRecord,
} from './administrator.ts';
import { type AdministratorRow, administrators } from './tables.ts';

export interface NewToken {
  /** See `hashOfToken`. */
  tokenHash: string;
  /** Null: never. */
  lifetimeMs: number | null;
}

/** @throws GantryError `administrator_name_taken`, `administrator_limit_reached` */
export const addAdministrator = command(
  'addAdministrator',
  function* (tx, name: string, role: AdminRole, token: NewToken): Steps<AdministratorRecord> {
    yield* requireFreeName(tx, name, null);
    const count = yield* tx.count(administrators.byName, [], maxAdministrators);
    if (count >= maxAdministrators) {
      throw new GantryError(
        'administrator_limit_reached',
        `The limit of ${maxAdministrators} administrators is reached: revoke some that are no longer needed`,
      );
    }
    const row: AdministratorRow = {
      id: tx.newId(),
      name,
      nameKey: nameKeyOf(name),
      role,
      tokenHash: token.tokenHash,
      createdAt: tx.now,
      expiresAt: token.lifetimeMs === null ? null : tx.now + token.lifetimeMs,
      lastUsedAt: null,
    };
    tx.insert(administrators, row);
    return toAdministratorRecord(row);
  },
);

/** Changes the given fields. @throws GantryError `administrator_unknown`, `administrator_name_taken` */
export const changeAdministrator = command(
  'changeAdministrator',
  function* (
    tx,
    administratorId: string,
    { name, role }: { name?: string | undefined; role?: AdminRole | undefined },
  ): Steps<AdministratorRecord> {
    if (name !== undefined) yield* requireFreeName(tx, name, administratorId);
    const row = yield* lockAdministrator(tx, administratorId);
    const changed: AdministratorRow = {
      ...row,
      name: name ?? row.name,
      nameKey: nameKeyOf(name ?? row.name),
      role: role ?? row.role,
    };
    tx.put(administrators, changed);
    return toAdministratorRecord(changed);
  },
);

/** Replaces the token; the previous one stops working immediately. @throws GantryError `administrator_unknown` */
export const replaceAdministratorToken = command(
  'replaceAdministratorToken',
  function* (tx, administratorId: string, token: NewToken): Steps<AdministratorRecord> {
    const row = yield* lockAdministrator(tx, administratorId);
    const changed: AdministratorRow = {
      ...row,
      tokenHash: token.tokenHash,
      expiresAt: token.lifetimeMs === null ? null : tx.now + token.lifetimeMs,
      lastUsedAt: null,
    };
    tx.put(administrators, changed);
    return toAdministratorRecord(changed);
  },
);

/**
 * Removes an administrator; the token stops working immediately on every node.
 * @throws GantryError `administrator_unknown`
 */
export const removeAdministrator = command(
  'removeAdministrator',
  function* (tx, administratorId: string): Steps<void> {
    tx.remove(administrators, yield* lockAdministrator(tx, administratorId));
  },
);

/** Updates `lastUsedAt`, unless the token has been replaced meanwhile. */
export const recordAdministratorUse = command(
  'recordAdministratorUse',
  function* (tx, administratorId: string, tokenHash: string): Steps<void> {
    const row = yield* tx.lock(administrators, administratorId);
    if (row?.tokenHash === tokenHash) tx.put(administrators, { ...row, lastUsedAt: tx.now });
  },
);

function* lockAdministrator(tx: Tx, administratorId: string): Steps<AdministratorRow> {
  const row = yield* tx.lock(administrators, administratorId);
  if (!row) throw new GantryError('administrator_unknown', 'There is no administrator with this id');
  return row;
}

function* requireFreeName(tx: Tx, name: string, ownId: string | null): Steps<void> {
  const [, taken] = yield* tx.all(lockAdministratorList(tx), tx.get(administrators.byName, nameKeyOf(name)));
  if (!taken || taken.id === ownId) return;
  throw new GantryError(
    'administrator_name_taken',
    `An administrator named ${taken.name} already exists; choose another name`,
  );
}
