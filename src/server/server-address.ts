import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

/** The address of the server last started on a data directory, for use in the output of commands. */
const serverAddress = z.object({ url: z.url(), pid: z.int() });

/** Call this once a server listens. `url` is `http://HOST:PORT`. Write errors are ignored: a full disk is not fatal. */
export function writeServerAddress(dataDirectory: string, url: string): void {
  const content = JSON.stringify({ url, pid: process.pid } satisfies z.infer<typeof serverAddress>);
  try {
    writeFileSync(fileIn(dataDirectory), content, { mode: 0o600 });
  } catch {
    // Commands work without it.
  }
}

/** Call this when this process no longer listens; another process's address is left in place. */
export function removeServerAddress(dataDirectory: string): void {
  if (read(dataDirectory)?.pid !== process.pid) return;
  try {
    rmSync(fileIn(dataDirectory), { force: true });
  } catch {
    // The file then names a process that has ended, and is ignored.
  }
}

/** The URL of the running server, or null. A killed server leaves its file behind, so its process is checked. */
export function runningServerUrl(dataDirectory: string): string | null {
  const address = read(dataDirectory);
  return address && isRunning(address.pid) ? address.url : null;
}

function read(dataDirectory: string): z.infer<typeof serverAddress> | null {
  try {
    return serverAddress.parse(JSON.parse(readFileSync(fileIn(dataDirectory), 'utf8')));
  } catch {
    return null; // it does not exist, or is being written
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
