import { z } from 'zod';
import { GantryError } from '../../../../core/errors.ts';
import { type AdminRole, adminRole, everyRole, owners } from '../../../../core/schemas/admin-role.ts';
import { id, idInput, success, timestamp } from '../../../../core/schemas/fields.ts';
import type { Store } from '../../../../core/storage/store.ts';
import { defineAdminOperation } from '../../../operation.ts';
import {
  type AdminCaller,
  administratorName,
  administratorRecord,
  hashOfToken,
  lifetimeMs,
  newAdministratorToken,
  tokenLifetimeDays,
} from '../administrator.ts';
import {
  addAdministrator,
  changeAdministrator,
  removeAdministrator,
  replaceAdministratorToken,
} from '../commands.ts';
import { listAllAdministrators } from '../queries.ts';

/** The names of the operations that a role may call, from their declarations in the catalogue. */
export type OperationsOfRole = (role: AdminRole) => readonly string[];

export const whoAmI = defineAdminOperation({
  name: 'whoAmI',
  kind: 'read',
  summary: "Get the token's administrator, role and permitted operations",
  roles: everyRole,
  input: z.object({}),
  output: z.object({
    success,
    administratorId: id.nullable().meta({ description: 'Null: the admin token, or the command line' }),
    name: z.string().meta({ description: 'The actor in the audit log: the name, `admin-token` or `cli`' }),
    role: adminRole,
    expiresAt: timestamp.nullable().meta({ description: 'When the token expires; null: never' }),
    operations: z.array(z.string()).meta({ description: "The administrators' operations the role may call" }),
  }),
  async handler({ caller }, { operationsOfRole }: { operationsOfRole: OperationsOfRole }) {
    const { administratorId, actor, role, expiresAt } = caller;
    const operations = [...operationsOfRole(role)];
    return { success: true, administratorId, name: actor, role, expiresAt, operations };
  },
});

export const listAdministrators = defineAdminOperation({
  name: 'listAdministrators',
  kind: 'read',
  summary: 'List the administrators and their roles, by name',
  roles: owners,
  input: z.object({}),
  output: z.object({ success, administrators: z.array(administratorRecord) }),
  async handler(_request, { db }: { db: Store }) {
    return { success: true, administrators: await db.read(listAllAdministrators) };
  },
});

export const createAdministrator = defineAdminOperation({
  name: 'createAdministrator',
  kind: 'write',
  summary: 'Create an administrator; returns the token (shown once)',
  roles: owners,
  input: z.object({ name: administratorName, role: adminRole, lifetimeDays: tokenLifetimeDays }),
  output: z.object({ success, administrator: administratorRecord, token: z.string() }),
  async handler({ input }, { db }: { db: Store }) {
    const token = newAdministratorToken();
    const administrator = await db.write(addAdministrator, input.name, input.role, {
      tokenHash: hashOfToken(token),
      lifetimeMs: lifetimeMs(input.lifetimeDays),
    });
    return { success: true, administrator, token };
  },
});

export const updateAdministrator = defineAdminOperation({
  name: 'updateAdministrator',
  kind: 'write',
  summary: "Update an administrator's name or role, effective immediately; omitted fields are unchanged",
  roles: owners,
  input: z.object({
    administratorId: idInput,
    name: administratorName.optional(),
    role: adminRole.optional(),
  }),
  output: z.object({ success, administrator: administratorRecord }),
  async handler({ input, caller }, { db }: { db: Store }) {
    const { administratorId, ...changes } = input;
    if (changes.role !== undefined && changes.role !== caller.role) {
      refuseSelf(caller, administratorId, 'change the role of');
    }
    return { success: true, administrator: await db.write(changeAdministrator, administratorId, changes) };
  },
});

export const rotateAdministratorToken = defineAdminOperation({
  name: 'rotateAdministratorToken',
  kind: 'write',
  summary:
    "Rotate an administrator's token; returns the new one (shown once) and revokes the previous one immediately",
  roles: owners,
  input: z.object({ administratorId: idInput, lifetimeDays: tokenLifetimeDays }),
  output: z.object({ success, administrator: administratorRecord, token: z.string() }),
  async handler({ input }, { db }: { db: Store }) {
    const token = newAdministratorToken();
    const administrator = await db.write(replaceAdministratorToken, input.administratorId, {
      tokenHash: hashOfToken(token),
      lifetimeMs: lifetimeMs(input.lifetimeDays),
    });
    return { success: true, administrator, token };
  },
});

export const revokeAdministrator = defineAdminOperation({
  name: 'revokeAdministrator',
  kind: 'write',
  summary: 'Remove an administrator and revoke the token immediately, on every node',
  roles: owners,
  input: z.object({ administratorId: idInput }),
  output: z.object({ success }),
  async handler({ input, caller }, { db }: { db: Store }) {
    refuseSelf(caller, input.administratorId, 'revoke');
    await db.write(removeAdministrator, input.administratorId);
    return { success: true };
  },
});

/**
 * Owners cannot remove their own role or token, so that besides the holder of the admin token there is always an owner
 * left who can restore access.
 * @throws GantryError `administrator_is_self`
 */
function refuseSelf(caller: AdminCaller, administratorId: string, what: string): void {
  if (caller.administratorId !== administratorId) return;
  throw new GantryError(
    'administrator_is_self',
    `You cannot ${what} yourself: another owner can, or anyone with the admin token`,
  );
}
