import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { z } from 'zod';
import { databaseInUse } from './engine.ts';
import { type Finished, repository } from './gantry-process.ts';

const finished = z.object({ code: z.number(), stdout: z.string(), stderr: z.string() });

interface Command {
  args: readonly string[];
  /** Besides PATH and HOME. */
  env: Record<string, string>;
}

/** One command at a time: they share process-wide state such as the environment. */
let previous: Promise<unknown> = Promise.resolve();
let warm: ChildProcess | null = null;

/**
 * Runs `gantry <args>` like `gantry` of gantry-process.ts, but in one process shared by all commands of a test file:
 * loading the program is most of the cost of a short command. For commands that end on their own, where the process is
 * not under test.
 */
export function gantry(
  args: readonly string[],
  { env = {} }: { env?: Record<string, string> } = {},
): Promise<Finished> {
  const result = previous.then(async () =>
    run({ args, env: { ...(await databaseInUse(env.DATA_DIR)), ...env } }),
  );
  previous = result.catch(() => undefined);
  return result;
}

/** Runs `gantry <args> --json` and parses its output. */
export async function gantryJson(args: readonly string[], dataDirectory: string): Promise<unknown> {
  const { code, stdout, stderr } = await gantry([...args, '--json'], { env: { DATA_DIR: dataDirectory } });
  if (code !== 0) throw new Error(`gantry ${args.join(' ')} ended with ${code}: ${stderr}`);
  return JSON.parse(stdout);
}

async function run(command: Command): Promise<Finished> {
  warm ??= start();
  const over = new AbortController();
  try {
    const answered = once(warm, 'message', { signal: over.signal });
    const ended = once(warm, 'exit', { signal: over.signal });
    warm.send(command);
    const [answer] = await Promise.race([answered, ended]);
    if (warm.exitCode !== null || warm.signalCode !== null) {
      warm = null;
      throw new Error(`the process of the commands ended during gantry ${command.args.join(' ')}`);
    }
    return finished.parse(answer);
  } finally {
    over.abort();
  }
}

/** Starts the process; it ends with this one. */
function start(): ChildProcess {
  const child = fork(join(repository, 'test/support/command-loop.ts'), {
    execPath: join(repository, 'node_modules/.bin/node'),
    execArgv: [],
    // Not a terminal, where commands would print in colours.
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  child.unref();
  child.channel?.unref();
  return child;
}

/** Ends the process, so that the next test file gets a fresh one. */
export function endWarmGantry(): void {
  warm?.disconnect();
  warm = null;
}
