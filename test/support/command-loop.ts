import { enableCompileCache } from 'node:module';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';
import { compiledVariable } from './compiled-folder.ts';

// The process behind warm-gantry.ts: runs one command after the other, each as a separate process would.

const command = z.object({ args: z.array(z.string()), env: z.record(z.string(), z.string()) });

/** Thrown to end a command that calls `process.exit`. */
class Exit extends Error {}

const folder = process.env[compiledVariable];
const program = folder === undefined ? '../../src/main.ts' : pathToFileURL(`${folder}/main.js`).href;

enableCompileCache();

process.on('message', async (message) => process.send?.(await run(command.parse(message))));
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));

async function run({ args, env }: z.output<typeof command>) {
  const printed = { stdout: '', stderr: '' };
  let code: number | null = null;
  const { PATH = '', HOME = '' } = process.env;
  const [{ argv }, own] = [process, { env: process.env, exit: process.exit }];
  const capture = (name: 'stdout' | 'stderr') => {
    const stream = process[name];
    const { write } = stream;
    stream.write = (chunk: string | Uint8Array) => {
      if (code === null) printed[name] += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString();
      return true;
    };
    return () => {
      stream.write = write;
    };
  };
  const release = [capture('stdout'), capture('stderr')];
  process.env = { PATH, HOME, ...env };
  process.argv = [...argv.slice(0, 2), ...args];
  process.exitCode = undefined;
  process.exit = (requested) => {
    code ??= Number(requested ?? process.exitCode ?? 0);
    throw new Exit();
  };
  try {
    const { main } = (await import(program)) as typeof import('../../src/main.ts');
    await main();
  } finally {
    for (const one of release) one();
    process.argv = argv;
    Object.assign(process, own);
  }
  const ended = code ?? Number(process.exitCode ?? 0);
  process.exitCode = undefined;
  return { code: ended, ...printed };
}
