import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from './free-port.ts';
import { until } from './until.ts';

/** Why tests that need a real Redis are skipped; null when they can run. */
export const redisMissing =
  spawnSync('redis-server', ['--version']).error === undefined
    ? null
    : 'redis-server is not installed; on Debian: apt-get install redis-server';

/** A real Redis on a free port of 127.0.0.1 that persists nothing across restarts, like an evicted cache. */
export interface TestRedis extends AsyncDisposable {
  url: string;
  port: number;
  /** Ends it as in a crash; resolves when it is gone. */
  kill(): Promise<void>;
  /** Restarts it on the same port, empty. */
  start(): Promise<void>;
  /** Runs a command with redis-cli; returns what that prints. */
  command(...words: string[]): Promise<string>;
  /** Suspends it while its connections stay open, as behind a broken network; `thaw` resumes it. */
  freeze(): void;
  thaw(): void;
}

/** `settings`: further arguments of redis-server, such as `--cluster-enabled yes`. */
export async function startRedis(settings: readonly string[] = []): Promise<TestRedis> {
  const port = await freePort();
  const directory = await mkdtemp(join(tmpdir(), 'gantry-redis-'));
  let running: ChildProcess | null = null;
  const redis: TestRedis = {
    url: `redis://127.0.0.1:${port}`,
    port,
    async start() {
      running = spawn(
        'redis-server',
        [
          '--port',
          String(port),
          '--bind',
          '127.0.0.1',
          '--save',
          '',
          '--appendonly',
          'no',
          '--dir',
          directory,
          ...settings,
        ],
        { stdio: 'ignore' },
      );
      await until('Redis listening', () => answers(port));
    },
    async kill() {
      const ending = running;
      running = null;
      if (!ending || ending.exitCode !== null) return;
      const gone = once(ending, 'exit');
      ending.kill('SIGKILL');
      await gone;
    },
    command: (...words) => run(port, words),
    freeze: () => running?.kill('SIGSTOP'),
    thaw: () => running?.kill('SIGCONT'),
    async [Symbol.asyncDispose]() {
      await redis.kill();
      await rm(directory, { recursive: true });
    },
  };
  await redis.start();
  return redis;
}

async function run(port: number, words: readonly string[]): Promise<string> {
  return (await promisify(execFile)('redis-cli', ['-p', String(port), ...words])).stdout.trim();
}

async function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection(port, '127.0.0.1', () => socket.write('PING\r\n'));
    socket.once('data', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

export interface TestSentinel extends AsyncDisposable, Pick<TestRedis, 'port' | 'command'> {}

/** A real sentinel that watches the master under the name `gantry` and, alone, decides to replace it. */
export async function startSentinel({ port: masterPort }: TestRedis): Promise<TestSentinel> {
  const port = await freePort();
  const directory = await mkdtemp(join(tmpdir(), 'gantry-sentinel-'));
  const file = join(directory, 'sentinel.conf');
  await writeFile(
    file,
    `bind 127.0.0.1\nport ${port}\ndir ${directory}\nsentinel monitor gantry 127.0.0.1 ${masterPort} 1\n` +
      'sentinel down-after-milliseconds gantry 1000\nsentinel failover-timeout gantry 5000\n',
  );
  const running = spawn('redis-server', [file, '--sentinel'], { stdio: 'ignore' });
  await until('the sentinel listening', () => answers(port));
  return {
    port,
    command: (...words) => run(port, words),
    async [Symbol.asyncDispose]() {
      const gone = once(running, 'exit');
      running.kill('SIGKILL');
      await gone;
      await rm(directory, { recursive: true });
    },
  };
}
