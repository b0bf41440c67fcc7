import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { repository } from './gantry-process.ts';
import { until } from './until.ts';

/** A dedicated Ethereum node with an empty chain. Disposing of it stops it. */
export interface Anvil extends AsyncDisposable {
  url: string;
  chainId: number;
}

const chainId = 31_337;

/**
 * Foundry's platform-specific package, named explicitly: the package that selects a platform lists some that the
 * registry may lack, and `npm ci` rejects a lock file without them.
 */
const program = 'node_modules/@foundry-rs/anvil-linux-amd64/bin/anvil';

/** Starts anvil on a free port. Rejects with the reason where it cannot run. */
export async function startAnvil(options: readonly string[] = []): Promise<Anvil> {
  const child = spawn(
    join(repository, program),
    ['--host', '127.0.0.1', '--port', '0', '--chain-id', String(chainId), ...options],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const gone = once(child, 'close').catch((error: unknown) => {
    output += String(error);
  });
  let isGone = false;
  gone.then(() => {
    isGone = true;
  });
  const end = async () => {
    child.kill('SIGTERM');
    await gone;
  };
  try {
    const url = await until('anvil listens', () => {
      if (isGone) throw new Error(`anvil ended at once: ${output.trim().slice(-300)}`);
      return /Listening on (127\.0\.0\.1:\d+)/.exec(output)?.[1];
    });
    return { url: `http://${url}`, chainId, [Symbol.asyncDispose]: end };
  } catch (error) {
    if (!isGone) await end();
    throw error;
  }
}
