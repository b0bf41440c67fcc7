import { executeAsAdmin } from '../calls/execute.ts';
import { parseInput } from '../calls/parse-input.ts';
import { checkUnknownFields, describeIgnored } from '../calls/unknown-fields.ts';
import { asObject } from '../core/schemas/json-input.ts';
import { commandLineOwner } from '../features/administration/administrators/administrator.ts';
import { auditLogOf } from '../features/administration/audit-log.ts';
import { createGame } from '../features/games/operations/games.ts';
import type { AnyOperation } from '../features/operation.ts';
import { localServices } from '../server/build-services.ts';
import { withStore } from './with-store.ts';

/** Executes an operation that was looked up by name, or whose types were checked before. */
export type Execute = (operation: AnyOperation, input: unknown) => Promise<unknown>;

/**
 * Executes an admin operation on the data directory, as `/admin` would: with the same validation and the
 * same audit log entry. Write access to the directory replaces the token.
 */
export function executeLocally(operation: AnyOperation, input: unknown): Promise<unknown> {
  const mayCreate = operation.name === createGame.name;
  return withDataDirectory((execute) => execute(operation, input), mayCreate);
}

/** Like `executeLocally`, for several operations: the data directory stays open until `use` resolves. */
export function withDataDirectory<Result>(
  use: (execute: Execute) => Promise<Result>,
  mayCreate = false,
): Promise<Result> {
  return withStore(
    async (store, config) => {
      const services = await localServices(store, config);
      const context = { services, audit: auditLogOf(store.db) };
      try {
        return await use(async (operation, input) => {
          const noCaller = { caller: null, game: null };
          const ignored = checkUnknownFields(operation, operation.input, asObject(input), noCaller);
          for (const field of ignored) process.stderr.write(`${describeIgnored(operation, field)}\n`);
          return executeAsAdmin(operation, parseInput(operation.input, input), commandLineOwner, context);
        });
      } finally {
        await services.presence.close();
      }
    },
    { mayCreate },
  );
}
