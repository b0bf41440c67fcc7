import { executeAsAdmin } from '../calls/execute.ts';
import { parseInput } from '../calls/parse-input.ts';
import { checkUnknownFields, describeIgnored } from '../calls/unknown-fields.ts';
import { type Config, dataFiles, readConfig } from '../config.ts';
import { asObject } from '../core/schemas/json-input.ts';
import { commandLineOwner } from '../features/administration/administrators/administrator.ts';
import { auditLogOf } from '../features/administration/audit-log.ts';
import { sweepErased } from '../features/administration/erasure-sweeps.ts';
import { erasePlayer } from '../features/administration/operations/players.ts';
import { createGame } from '../features/games/operations/games.ts';
import type { AnyOperation } from '../features/operation.ts';
import { localServices } from '../server/build-services.ts';
import { tables } from '../server/declarations/tables.ts';
import { databaseFiles } from '../server/open-store.ts';
import { withStore } from './with-store.ts';

/** Executes an operation that was looked up by name, or whose types were checked before. */
export type Execute = (operation: AnyOperation, input: unknown) => Promise<unknown>;

/**
 * Executes an admin operation on the data directory, as `/admin` would: with the same validation and the
 * same audit log entry. Write access to the directory replaces the token.
 */
export async function executeLocally(operation: AnyOperation, input: unknown): Promise<unknown> {
  const mayCreate = operation.name === createGame.name;
  const output = await withDataDirectory((execute) => execute(operation, input), mayCreate);
  if (operation.name === erasePlayer.name) await completeErasures(readConfig());
  return output;
}

/**
 * Completes erasures of players now if no other process has the database open, so that none can still write for them. A
 * server completes them otherwise, or its next start: on PostgreSQL, where other nodes are not known, always.
 */
async function completeErasures({ databaseUrl, dataDirectory }: Config): Promise<void> {
  if (databaseUrl !== undefined || databaseFiles.isInUse(dataFiles(dataDirectory).database)) return;
  await withStore(({ db }) => sweepErased(db, tables, { early: true }));
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
