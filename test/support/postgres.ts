import { randomBytes } from 'node:crypto';
import { existsSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { z } from 'zod';
import { codeOf } from '../../src/runtime/error-code.ts';
import { noPostgres } from './postgres-binaries.ts';
import { PostgresServer, postgresRunVariable } from './postgres-server.ts';
import { until } from './until.ts';

export { noPostgres } from './postgres-binaries.ts';
export { PostgresServer, postgresRunVariable } from './postgres-server.ts';

/** The contents of a run's directory. */
export const runFiles = {
  /** The process id of the run. */
  run: 'run.pid',
  /** Created by the first process that needs a database, which then starts the server. */
  starting: 'starting',
  /** The server's address (`SharedServer`), once it accepts connections. */
  server: 'server.json',
  /** Why it could not be started. */
  failed: 'failed',
} as const;

if (noPostgres !== null) process.stderr.write(`The tests on PostgreSQL are skipped: ${noPostgres}\n`);

const sharedServer = z.object({ url: z.string(), pid: z.number(), data: z.string() });
export type SharedServer = z.infer<typeof sharedServer>;

export interface TestDatabase extends AsyncDisposable {
  url: string;
}

/**
 * A database on the run's PostgreSQL, empty or a copy of a template that nobody is connected to; dropped at the end,
 * along with its connections.
 */
export async function freshDatabase(template = 'template0'): Promise<TestDatabase> {
  const server = await urlOfRun();
  const name = `test_${randomBytes(8).toString('hex')}`;
  // Copying the files takes a quarter of the time of copying each page through the log, which spares a busy server.
  await administer(
    server,
    `CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY FILE_COPY ENCODING 'UTF8' LC_COLLATE 'C' LC_CTYPE 'C'`,
  );
  const url = new URL(server);
  url.pathname = name;
  return {
    url: url.href,
    [Symbol.asyncDispose]: () => administer(server, `DROP DATABASE ${name} WITH (FORCE)`),
  };
}

async function administer(server: string, statement: string): Promise<void> {
  const client = new Client({ connectionString: server });
  await client.connect();
  await client.query(statement).finally(() => client.end());
}

let server: Promise<SharedServer> | null = null;

/** The URL of the run's server, which the first caller starts. */
async function urlOfRun(): Promise<string> {
  if (process.env.GANTRY_TEST_POSTGRES_URL) return process.env.GANTRY_TEST_POSTGRES_URL;
  server ??= findOrStart();
  return (await server).url;
}

async function findOrStart(): Promise<SharedServer> {
  const run = process.env[postgresRunVariable];
  if (run === undefined) throw new Error(`${postgresRunVariable} is not set: this is no run of vitest`);
  const failed = join(run, runFiles.failed);
  if (isFirst(join(run, runFiles.starting))) {
    await startFor(run).catch((error: unknown) => writeFileSync(failed, String(error)));
  }
  return until('PostgreSQL of the run started', () => {
    if (existsSync(failed)) throw new Error(readFileSync(failed, 'utf8'));
    return serverOf(run);
  });
}

/** The test run ends it, not this process. */
async function startFor(run: string): Promise<void> {
  const endWith = Number(readFileSync(join(run, runFiles.run), 'utf8'));
  const started = await PostgresServer.start({ endWith });
  const path = join(run, runFiles.server);
  writeFileSync(`${path}.new`, JSON.stringify({ url: started.url(), pid: started.pid, data: started.data }));
  renameSync(`${path}.new`, path);
}

/** Null until it is started. */
export function serverOf(run: string): SharedServer | null {
  const path = join(run, runFiles.server);
  return existsSync(path) ? sharedServer.parse(JSON.parse(readFileSync(path, 'utf8'))) : null;
}

function isFirst(path: string): boolean {
  try {
    openSync(path, 'wx');
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}
