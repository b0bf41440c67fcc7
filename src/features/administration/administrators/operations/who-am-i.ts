import { z } from 'zod';
import { type AdminRole, adminRole, everyRole } from '../../../../core/schemas/admin-role.ts';
import { id, timestamp } from '../../../../core/schemas/ids.ts';
import { success } from '../../../../core/schemas/outcome.ts';
import { defineOperation } from '../../../operation.ts';

/** The names of the operations that a role may call, from their declarations in the catalogue. */
export type OperationsOfRole = (role: AdminRole) => readonly string[];

export const whoAmI = defineOperation({
  name: 'whoAmI',
  service: 'admin',
  kind: 'read',
  summary: 'Get the administrator that the token belongs to, with the role and the operations it may call',
  auth: 'admin',
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
