import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.ts';
import { until } from './until.ts';

/** A proxy in front of Gantry, in a process and a temporary directory of its own. */
export interface TestProxy extends AsyncDisposable {
  url: string;
}

export interface ProxyProgram {
  program: string;
  args(configuration: string): readonly string[];
  /** The configuration file for a port to listen on and a directory for the program's other files. */
  configuration(port: number, directory: string): Promise<string>;
  /** Ends it at once, with its workers. */
  endSignal: NodeJS.Signals;
}

/** Runs a proxy in the foreground; resolves when it listens. */
export async function startProxy(options: ProxyProgram): Promise<TestProxy> {
  const { program, args, configuration, endSignal } = options;
  const directory = await mkdtemp(join(tmpdir(), 'gantry-proxy-'));
  const port = await freePort();
  const file = join(directory, 'proxy.conf');
  await writeFile(file, await configuration(port, directory));
  const child = spawn(program, args(file), { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const gone = once(child, 'exit');
  const url = `http://127.0.0.1:${port}`;
  await until(`${program} listening`, async () => {
    if (child.exitCode !== null) throw new Error(`${program} ended at its start: ${said}`);
    return fetch(url, { redirect: 'manual' }).then(
      () => true,
      () => false,
    );
  });
  return {
    url,
    async [Symbol.asyncDispose]() {
      child.kill(endSignal);
      await gone;
      await rm(directory, { recursive: true, force: true });
    },
  };
}
