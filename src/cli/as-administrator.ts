import type { z } from 'zod';
import type { AnyOperation, Operation } from '../operations/define.ts';
import { administer, parseInput } from '../operations/execute.ts';
import { localServices } from '../workspace.ts';
import { withWorkspace } from './with-workspace.ts';

/**
 * Carries out an administrators' operation on the data directory, as `/admin` would: the same checks, the
 * same entry in the audit log. Who can write the directory needs no token.
 */
export async function asAdministrator<In extends z.ZodObject, Out extends z.ZodType>(
  operation: Operation<string, 'admin', In, Out>,
  input: z.input<In>,
): Promise<z.output<Out>> {
  // The handler's answer is of the output's type, which `defineOperation` has checked.
  return (await administerLocally(operation, input)) as z.output<Out>;
}

/** As `asAdministrator`, for an operation that was looked up by name. */
export function administerLocally(operation: AnyOperation, input: unknown): Promise<unknown> {
  return withWorkspace(async (workspace, config) => {
    const services = localServices(workspace, config);
    try {
      return await administer(operation, parseInput(operation.input, input), 'cli', services);
    } finally {
      await services.presence.close();
    }
  });
}
