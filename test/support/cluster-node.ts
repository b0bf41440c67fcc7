import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { databaseOf } from './engine.ts';
import { freePort } from './free-port.ts';
import { gantryProgram } from './gantry-process.ts';
import { until } from './until.ts';

const pinnedNode = fileURLToPath(new URL('../../node_modules/.bin/node', import.meta.url));

/** `gantry serve` in a separate process, on the same port for the whole test. */
export interface ClusterNode extends AsyncDisposable {
  url: string;
  port: number;
  /**
   * Starts it, or restarts it after it has ended; resolves when it listens. `program`: from now on, another version of
   * `gantry`.
   */
  start(program?: string): Promise<void>;
  /** SIGKILL, as in a crash or a power cut. Resolves when the process is gone. */
  kill(): Promise<void>;
  /** SIGTERM. Resolves when the process has ended, with its exit code and how long that took. */
  stop(): Promise<{ exitCode: number | null; tookMs: number }>;
  /** Suspends it while its connections stay open; `thaw` resumes it. */
  freeze(): void;
  thaw(): void;
  isRunning(): boolean;
  /** How often it ended without having been stopped: a crash. */
  crashes(): number;
  /** Resolves when it has ended by itself, with its exit code. */
  ended(): Promise<number | null>;
  /** What it wrote to standard error since the first start. */
  log(): string;
  /** Resident memory. */
  rssBytes(): Promise<number>;
}

/** How far the clock of every second node is ahead of the others', in seconds: nothing may depend on it. */
const clockSkewSeconds = Number(process.env.CLOCK_SKEW_SECONDS ?? 0);
const skewFile = join(tmpdir(), `gantry-clock-skew-${process.pid}`);
let started = 0;

/** Variables of a node whose clock is ahead of this machine's. */
export function clockAhead(ms: number, file: string): Record<string, string> {
  writeFileSync(file, String(ms));
  const clock = new URL('../crash/jumping-clock.ts', import.meta.url);
  return { CLOCK_OFFSET_FILE: file, NODE_OPTIONS: `--import ${clock}` };
}

export async function startClusterNode(
  variables: Record<string, string>,
  program = gantryProgram,
): Promise<ClusterNode> {
  const port = await freePort();
  const clock =
    clockSkewSeconds !== 0 && started++ % 2 === 1 ? clockAhead(clockSkewSeconds * 1000, skewFile) : {};
  const url = `http://127.0.0.1:${port}`;
  const database = variables.DATA_DIR === undefined ? {} : await databaseOf(variables.DATA_DIR);
  let current = program;
  let running: ChildProcess | null = null;
  let log = '';
  let crashes = 0;

  /** Takes the process out of `running`, so that its end does not count as a crash. */
  function release(): { ending: ChildProcess; gone: Promise<unknown> } | null {
    const ending = running;
    running = null;
    return ending && { ending, gone: once(ending, 'exit') };
  }

  const node: ClusterNode = {
    url,
    port,
    async start(other) {
      current = other ?? current;
      const child = spawn(pinnedNode, [current, 'serve'], {
        env: {
          ...process.env,
          GANTRY_DEMO: 'off',
          LOG_LEVEL: 'warn',
          RATE_LIMIT_FACTOR: '100000', // senders here are faster than real players
          PORT: String(port),
          ...database,
          ...clock,
          ...variables,
        },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      running = child;
      child.stderr.on('data', (chunk) => {
        log += chunk;
      });
      // The process could not be started or signalled; without a listener the error would end the test run.
      child.on('error', (error) => {
        log += `${error}\n`;
        if (child.pid === undefined && running === child) running = null;
      });
      child.once('exit', () => {
        if (running !== child) return;
        running = null;
        crashes++;
      });
      let said = '';
      child.stdout.on('data', (chunk) => {
        said += chunk;
      });
      await until(
        'a node listening',
        () => {
          if (running !== child) throw new Error(`the node ended at its start:\n${log}`);
          return said.includes('listening');
        },
        60_000, // also on a machine that is busy with other tests
      );
    },
    async kill() {
      const released = release();
      released?.ending.kill('SIGKILL');
      await released?.gone;
    },
    async stop() {
      const from = performance.now();
      const released = release();
      released?.ending.kill('SIGTERM');
      await released?.gone;
      return { exitCode: released?.ending.exitCode ?? null, tookMs: performance.now() - from };
    },
    freeze: () => running?.kill('SIGSTOP'),
    thaw: () => running?.kill('SIGCONT'),
    isRunning: () => running !== null,
    crashes: () => crashes,
    async ended() {
      const released = release();
      await released?.gone;
      return released?.ending.exitCode ?? null;
    },
    log: () => log,
    async rssBytes() {
      const status = await readFile(`/proc/${running?.pid}/status`, 'utf8');
      return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) * 1024;
    },
    [Symbol.asyncDispose]: () => node.kill(),
  };
  await node.start();
  return node;
}
