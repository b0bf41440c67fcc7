import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, writeFile } from 'node:fs/promises';
import { createConnection, createServer } from 'node:net';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startClusterNode } from '../support/cluster-node.ts';
import { freePort } from '../support/free-port.ts';
import { gantry, gantryProgram } from '../support/gantry-process.ts';
import { get } from '../support/http.ts';
import { noPostgres, PostgresServer } from '../support/postgres.ts';
import { postgresUser } from '../support/postgres-binaries.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { until } from '../support/until.ts';

const secretKey = 'a5'.repeat(32);
const bouncerMissing =
  spawnSync('pgbouncer', ['--version']).error === undefined
    ? null
    : 'pgbouncer is not installed; on Debian: apt-get install pgbouncer';

/** A real PgBouncer before the server. */
async function startBouncer(
  server: PostgresServer,
  poolMode: 'session' | 'transaction',
): Promise<{ url: string } & AsyncDisposable> {
  const directory = await temporaryDirectory();
  const port = await freePort();
  const file = join(directory.path, 'pgbouncer.ini');
  await writeFile(
    file,
    `[databases]\npostgres = host=127.0.0.1 port=${server.port} user=gantry\n[pgbouncer]\nlisten_addr = 127.0.0.1\n` +
      `listen_port = ${port}\nunix_socket_dir =\nauth_type = any\npool_mode = ${poolMode}\n`,
  );
  await chmod(directory.path, 0o755); // for the other user, if there is one
  const running = spawn('pgbouncer', [file], { ...postgresUser, cwd: directory.path, stdio: 'ignore' });
  await until('PgBouncer listening', async () => {
    const socket = createConnection(port, '127.0.0.1');
    try {
      await once(socket, 'connect'); // rejects on an error
      return true;
    } catch {
      return false;
    } finally {
      socket.destroy();
    }
  });
  return {
    url: `postgres://gantry@127.0.0.1:${port}/postgres`,
    async [Symbol.asyncDispose]() {
      const gone = once(running, 'exit');
      running.kill('SIGKILL');
      await gone;
      await directory[Symbol.asyncDispose]();
    },
  };
}

async function tablesOf(server: PostgresServer): Promise<number> {
  const client = new Client({ connectionString: server.url() });
  await client.connect();
  const { rowCount } = await client.query("SELECT 1 FROM pg_tables WHERE schemaname = 'public'");
  await client.end();
  return rowCount ?? 0;
}

describe.skipIf(noPostgres !== null)(noPostgres ?? 'a node that starts on PostgreSQL', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await PostgresServer.start();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  test.skipIf(bouncerMissing !== null)(
    'refuses a PgBouncer in transaction mode before it creates a table, and accepts session mode',
    async () => {
      await using pooled = await startBouncer(server, 'transaction');
      const env = { DATABASE_URL: pooled.url, GANTRY_SECRET_KEY: secretKey, PORT: '0' };
      const refused = await gantry(['serve'], { env });
      expect(refused).toMatchObject({ code: 1, stdout: '' });
      expect(refused.stderr).toContain('Set pool_mode = session for this database');
      expect(await tablesOf(server)).toBe(0);

      await using perSession = await startBouncer(server, 'session');
      await using node = await startClusterNode({
        DATABASE_URL: perSession.url,
        GANTRY_SECRET_KEY: secretKey,
      });
      expect((await get(`${node.url}/readyz`)).body).toMatchObject({ database: 'ready' });
    },
  );

  test('waits for a server that is down, and serves when it is up', async () => {
    await server.stop();
    let attempts = 0;
    const closing = createServer((socket) => {
      attempts++;
      socket.destroy();
    }).listen(server.port, '127.0.0.1');
    const starting = startClusterNode({ DATABASE_URL: server.url(), GANTRY_SECRET_KEY: secretKey });
    await until('several attempts', () => attempts > 2);
    closing.close();
    await once(closing, 'close');
    await server.start();
    await using node = await starting;
    expect((await get(`${node.url}/readyz`)).body).toMatchObject({ database: 'ready' });
    expect(node.log().match(/cannot be reached; retrying for up to 5 minutes/g)).toHaveLength(1);
    expect(await node.stop()).toMatchObject({ exitCode: 0 });
  });

  test('says once that its server is down, however often it tries to reach it', async () => {
    await using node = await startClusterNode({ DATABASE_URL: server.url(), GANTRY_SECRET_KEY: secretKey });
    await server.stop();
    let attempts = 0;
    const closing = createServer((socket) => {
      attempts++;
      socket.destroy();
    }).listen(server.port, '127.0.0.1');
    try {
      await until('the outage noticed', () => node.log().includes('PostgreSQL cannot be reached'));
      const noticed = node.log();
      const before = attempts;
      await until('many attempts', () => attempts > before + 30);
      expect(node.log().slice(noticed.length)).toBe('');
    } finally {
      closing.close();
      await once(closing, 'close');
      await server.start();
    }
    await until('recovery', () => node.log().includes('writes recovered'));
  });

  test('stops without an error in its log while it creates the demo', async () => {
    await using directory = await temporaryDirectory();
    const client = new Client({ connectionString: server.url() });
    await client.connect();
    await client.query('CREATE DATABASE demo TEMPLATE template0');
    await client.end();
    const { PATH = '' } = process.env;
    const settings = { DATABASE_URL: server.url('demo'), GANTRY_SECRET_KEY: secretKey, LOG_LEVEL: 'warn' };
    const running = spawn(process.execPath, [gantryProgram, 'serve'], {
      env: { PATH, DATA_DIR: directory.path, HOST: '127.0.0.1', PORT: '0', ...settings },
    });
    let output = '';
    for (const stream of [running.stdout, running.stderr]) {
      stream.on('data', (chunk) => {
        output += chunk;
      });
    }
    const gone = once(running, 'close');
    await until('the server listens', () => existsSync(join(directory.path, 'server-address.json')));
    running.kill('SIGTERM');
    // A signal before the server handles them ends it at once.
    expect([
      [0, null],
      [null, 'SIGTERM'],
    ]).toContainEqual(await gone);
    expect(output).not.toMatch(/error|cannot/i);
  });

  test('ends at once when waiting would not help: an unknown user, database or file of certificates', async () => {
    const { port } = server;
    for (const wrong of [
      `nobody@127.0.0.1:${port}/postgres`,
      `gantry@127.0.0.1:${port}/nothing`,
      `gantry@127.0.0.1:${port}/postgres?sslmode=verify-full&sslrootcert=/nowhere/ca.pem`,
    ]) {
      const env = { DATABASE_URL: `postgres://${wrong}`, GANTRY_SECRET_KEY: secretKey, PORT: '0' };
      const { code, stderr } = await gantry(['serve'], { env });
      expect(code).toBe(1);
      expect(stderr).toMatch(/cannot be opened: .*(does not exist|no such file .*ca\.pem)/);
    }
  });

  test('says of a server that takes no writes, as a standby does, to name the primary', async () => {
    const env = {
      DATABASE_URL: `${server.url()}?options=-c%20default_transaction_read_only%3Don`,
      GANTRY_SECRET_KEY: secretKey,
      PORT: '0',
    };
    const { code, stderr } = await gantry(['serve'], { env });
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /read-only transaction\. The server is a standby.*: set DATABASE_URL to the primary/,
    );
  });

  test('ends, and says why, when it fails after the database was opened', async () => {
    await using directory = await temporaryDirectory();
    const keystore = join(directory.path, 'keystore.json');
    await writeFile(keystore, '{}');
    const client = new Client({ connectionString: server.url() });
    await client.connect();
    await client.query('CREATE ROLE limited LOGIN CONNECTION LIMIT 2');
    await client.query('CREATE DATABASE limited OWNER limited TEMPLATE template0');
    await client.end();
    const limited = `postgres://limited@127.0.0.1:${server.port}/limited`;
    for (const [DATABASE_URL, why] of [
      [server.url(), /signer keystore cannot be used/],
      [limited, /too many connections for role "limited"/],
    ] as const) {
      const signer = { SIGNER_KEYSTORE: keystore, SIGNER_KEYSTORE_PASSWORD: 'x' };
      const env = { DATABASE_URL, GANTRY_SECRET_KEY: secretKey, PORT: '0', ...signer };
      const { code, stderr } = await gantry(['serve'], { env });
      expect(code).toBe(1);
      expect(stderr).toMatch(why);
    }
  });
});
