import { auditLogOf } from '../administration/audit-log.ts';
import { commandLineOwner } from '../administrators/administrator.ts';
import { localServices } from '../data-directory.ts';
import type { AnyOperation } from '../operations/define.ts';
import { executeAsAdmin } from '../operations/execute.ts';
import { parseInput } from '../operations/parse-input.ts';
import { withStore } from './with-store.ts';

/** Carries out an operation that was looked up, or whose types were checked before. */
export type Execute = (operation: AnyOperation, input: unknown) => Promise<unknown>;

/**
 * Executes an admin operation on the data directory, as `/admin` would: with the same validation and the
 * same audit log entry. Write access to the directory takes the place of the token.
 */
export function executeLocally(operation: AnyOperation, input: unknown): Promise<unknown> {
  return withDataDirectory((execute) => execute(operation, input));
}

/** As `executeLocally`, for several operations: the data directory stays open until `use` is done. */
export function withDataDirectory<Result>(use: (execute: Execute) => Promise<Result>): Promise<Result> {
  return withStore(async (store, config) => {
    const services = await localServices(store, config);
    const surroundings = { services, audit: auditLogOf(store.db) };
    try {
      return await use((operation, input) =>
        executeAsAdmin(operation, parseInput(operation.input, input), commandLineOwner, surroundings),
      );
    } finally {
      await services.presence.close();
    }
  });
}
