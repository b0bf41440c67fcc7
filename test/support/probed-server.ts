import { fork } from 'node:child_process';
import { once } from 'node:events';
import { gantryProgram } from './gantry-process.ts';
import type { ProcessState } from './process-probe.ts';
import { until } from './until.ts';

const probe = new URL('./process-probe.ts', import.meta.url).href;

/** `gantry serve` in a separate process that reports its state. */
export interface ProbedServer extends AsyncDisposable {
  url: string;
  /** Whether it has ended without having been stopped. */
  hasExited(): boolean;
  /** What it wrote to standard error. */
  log(): string;
  /** The bytes it wrote to standard error and standard output. */
  writtenBytes(): number;
  state(): Promise<ProcessState>;
  /** Stops it, and resolves with its exit code; null when a signal ended it. */
  stop(): Promise<number | null>;
}

export async function startProbedServer(variables: Record<string, string>): Promise<ProbedServer> {
  const child = fork(gantryProgram, ['serve'], {
    execArgv: ['--expose-gc', '--import', probe],
    env: { PATH: process.env.PATH, PORT: '0', LOG_LEVEL: 'warn', GANTRY_DEMO: 'off', ...variables },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const output = { stdout: '', stderr: '' };
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    output.stdout += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    output.stderr += text;
  });
  const gone = once(child, 'exit');
  const hasExited = () => child.exitCode !== null || child.signalCode !== null;
  try {
    const url = await until('the server listens', () => {
      if (hasExited()) throw new Error(`gantry serve ended at once: ${output.stderr}`);
      return /listening on (http:\/\/\S+)\n/.exec(output.stdout)?.[1];
    });
    return {
      url,
      hasExited,
      log: () => output.stderr,
      writtenBytes: () => Buffer.byteLength(output.stderr) + Buffer.byteLength(output.stdout),
      async state() {
        const answered = once(child, 'message');
        child.send('state');
        const [state] = await Promise.race([answered, gone]);
        if (hasExited()) throw new Error(`gantry serve ended: ${output.stderr.slice(-2000)}`);
        return state as ProcessState;
      },
      async stop() {
        child.kill('SIGTERM');
        await gone;
        return child.exitCode;
      },
      async [Symbol.asyncDispose]() {
        if (hasExited()) return;
        child.kill('SIGKILL');
        await gone;
      },
    };
  } catch (error) {
    child.kill('SIGKILL');
    throw error;
  }
}
