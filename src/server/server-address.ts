import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

/** A server on a data directory. Its file lists them, the one started last at the end. */
const address = z.object({ url: z.url(), pid: z.int() });
type Address = z.infer<typeof address>;

const answerTimeoutMs = 1_000;

/**
 * Call this once a server listens. `url` is `http://HOST:PORT`: a server that had it before has ended, even if its process
 * id is in use again. Write errors are ignored: a full disk is not fatal.
 */
export function writeServerAddress(dataDirectory: string, url: string): void {
  const elsewhere = others(dataDirectory).filter((other) => other.url !== url);
  write(dataDirectory, [...elsewhere, { url, pid: process.pid }]);
}

/** Call this when this process no longer listens; other processes' addresses are left in place. */
export function removeServerAddress(dataDirectory: string): void {
  write(dataDirectory, others(dataDirectory));
}

/** The URL of the server started last, or null when none is running. */
export function runningServerUrl(dataDirectory: string): string | null {
  return running(dataDirectory).at(-1)?.url ?? null;
}

/** The URLs of the other servers on the data directory that respond. */
export async function otherServers(dataDirectory: string): Promise<string[]> {
  const urls = others(dataDirectory).map(({ url }) => url);
  const answers = await Promise.all(urls.map(responds));
  return urls.filter((_, at) => answers[at]);
}

/** What servers on one data directory lack without Redis; for the log and for doctor. */
export const serversWithoutRedis = {
  lacks:
    'Neither sees who is connected or typing at the other, events of the other arrive up to a second late, and each ' +
    'counts rate limits for itself.',
  remedy: 'Set REDIS_URL to the same Redis for both, or run only one of them.',
};

/** The id of a process that has ended may be another program's by now. */
async function responds(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(answerTimeoutMs) })).ok;
  } catch {
    return false;
  }
}

function others(dataDirectory: string): Address[] {
  return running(dataDirectory).filter(({ pid }) => pid !== process.pid);
}

/** A killed server leaves its address behind, so the processes are checked. */
function running(dataDirectory: string): Address[] {
  try {
    const content = readFileSync(fileIn(dataDirectory), 'utf8');
    return z
      .array(address)
      .parse(JSON.parse(content))
      .filter(({ pid }) => isRunning(pid));
  } catch {
    return []; // it does not exist, or is being written
  }
}

function write(dataDirectory: string, list: Address[]): void {
  try {
    if (list.length === 0) rmSync(fileIn(dataDirectory), { force: true });
    else writeFileSync(fileIn(dataDirectory), JSON.stringify(list), { mode: 0o600 });
  } catch {
    // Commands work without it, and ignore processes that have ended.
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'; // another user's
  }
}

function fileIn(dataDirectory: string): string {
  return join(dataDirectory, 'server-address.json');
}
