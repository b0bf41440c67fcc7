import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join, parse } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { compiledVariable } from './compiled-folder.ts';
import { until } from './until.ts';

export const repository = fileURLToPath(new URL('../..', import.meta.url));
const pinnedNode = join(repository, 'node_modules/.bin/node');
const asWritten = join(repository, 'src/gantry.js');
const compiled = process.env[compiledVariable];

/** What the pinned Node runs in place of a program: in tests, the bundle that test/compile.ts made of it. */
export function compiledOf(file: string): string {
  return compiled === undefined ? file : join(compiled, `${parse(file).name}.js`);
}

/** What the pinned Node runs as `gantry`. */
export const gantryProgram = compiledOf(asWritten);

/** Also sufficient on a machine that is busy with other tests. */
const startWithinMs = 60_000;

/** The result of a command. `code` is null when a signal ended it. */
export interface Finished {
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface CommandSettings {
  /** Environment variables besides PATH and HOME; nothing else of this process's environment is passed on. */
  env?: Record<string, string>;
  /** A Node other than the pinned one. */
  node?: string;
  /** A program other than `gantryProgram`: the executable, or an installed package. */
  program?: string;
  /** Runs the files in `src/` directly, as `npm start` does. */
  asWritten?: boolean;
  /** The working directory; defaults to the tests' own. */
  cwd?: string;
  /** A user other than this process's. */
  uid?: number;
}

/** Runs `gantry <args>` as a user's shell would, until it ends or prints forbidden output. */
export async function gantry(
  args: readonly string[],
  { endAfter, ...settings }: CommandSettings & { endAfter?: RegExp } = {},
): Promise<Finished> {
  const child = spawnGantry(args, settings);
  const output = collect(child);
  child.stdout?.on('data', () => {
    if (endAfter?.test(output.stdout)) child.kill('SIGKILL');
  });
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, ...output };
}

/** Runs `gantry <args> --json` and parses its output. */
export async function gantryJson(args: readonly string[], dataDirectory: string): Promise<unknown> {
  const { code, stdout, stderr } = await gantry([...args, '--json'], { env: { DATA_DIR: dataDirectory } });
  if (code !== 0) throw new Error(`gantry ${args.join(' ')} ended with ${code}: ${stderr}`);
  return JSON.parse(stdout);
}

/** Runs one of our programs on the pinned Node and returns its output. */
export async function runProgram(file: string, args: readonly string[]): Promise<string> {
  return (await promisify(execFile)(pinnedNode, [compiledOf(file), ...args])).stdout;
}

/** A `gantry serve` in a separate process. Disposing of it kills it if it is still running. */
export interface GantryProcess extends AsyncDisposable {
  url: string;
  pid: number | undefined;
  /** Its output so far. */
  output: { stdout: string; stderr: string };
  /** Its exit code, once it is gone; null when a signal ended it. */
  ended: Promise<number | null>;
  /** Sends the signal and resolves when the process is gone. */
  end(signal: NodeJS.Signals): Promise<Finished>;
}

/** Starts `gantry serve` on a free port and resolves once it prints its address. */
export async function serveGantry(
  dataDirectory: string,
  env: Record<string, string> = {},
  settings: Omit<CommandSettings, 'env'> & { command?: string } = {},
): Promise<GantryProcess> {
  const child = spawnGantry([settings.command ?? 'serve'], {
    ...settings,
    env: { DATA_DIR: dataDirectory, PORT: '0', LOG_LEVEL: 'warn', ...env },
  });
  const output = collect(child);
  const gone = once(child, 'close') as Promise<[number | null]>;
  const end = async (signal: NodeJS.Signals): Promise<Finished> => {
    child.kill(signal);
    const [code] = await gone;
    return { code, ...output };
  };
  try {
    const url = await until(
      'the server listens',
      () => {
        if (child.exitCode !== null) throw new Error(`gantry serve ended at once: ${output.stderr}`);
        return /listening on (http:\/\/\S+)\n/.exec(output.stdout)?.[1];
      },
      startWithinMs,
    );
    const ended = gone.then(([code]) => code);
    return {
      url,
      pid: child.pid,
      output,
      ended,
      end,
      [Symbol.asyncDispose]: async () => void (await end('SIGKILL')),
    };
  } catch (error) {
    await end('SIGKILL');
    throw error;
  }
}

function spawnGantry(
  args: readonly string[],
  { env = {}, node = pinnedNode, program, asWritten: runsSource = false, cwd, uid }: CommandSettings,
): ChildProcess {
  const { PATH = '', HOME = '' } = process.env;
  return spawn(program ?? node, program ? args : [runsSource ? asWritten : gantryProgram, ...args], {
    ...(cwd !== undefined && { cwd }),
    env: { PATH, HOME, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(uid !== undefined && { uid, gid: uid }),
  });
}

function collect(child: ChildProcess): { stdout: string; stderr: string } {
  const output = { stdout: '', stderr: '' };
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    output.stdout += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    output.stderr += text;
  });
  return output;
}
