import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

/** Where the server that was started last on a data directory listens, so that commands beside it can say so. */
const serverAddress = z.object({ url: z.url(), pid: z.int() });

/** To be called once a server listens. `url` is `http://HOST:PORT`. A full disk keeps no server from running. */
export function keepServerAddress(dataDirectory: string, url: string): void {
  const kept = JSON.stringify({ url, pid: process.pid } satisfies z.infer<typeof serverAddress>);
  try {
    writeFileSync(fileIn(dataDirectory), kept, { mode: 0o600 });
  } catch {
    // Commands do without, then.
  }
}

/** To be called when this process no longer listens; another one's address is left. */
export function forgetServerAddress(dataDirectory: string): void {
  if (read(dataDirectory)?.pid !== process.pid) return;
  try {
    rmSync(fileIn(dataDirectory), { force: true });
  } catch {
    // It tells of a process that is gone then, and is not believed.
  }
}

/** Null when no server is running here; one that was killed has left its file. */
export function runningServerUrl(dataDirectory: string): string | null {
  const kept = read(dataDirectory);
  return kept && isRunning(kept.pid) ? kept.url : null;
}

function read(dataDirectory: string): z.infer<typeof serverAddress> | null {
  try {
    return serverAddress.parse(JSON.parse(readFileSync(fileIn(dataDirectory), 'utf8')));
  } catch {
    return null; // there is none, or it is being written
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
