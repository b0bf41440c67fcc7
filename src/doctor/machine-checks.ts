import { createServer } from 'node:net';
import { z } from 'zod';
import type { Config } from '../config.ts';
import type { DatabaseFiles } from '../store/database-file.ts';
import { error, type Finding, ok, warning } from './finding.ts';

const neededNode = 24;
/** Before it, two connections that write and empty the log in one instant can damage it (https://sqlite.org/wal.html#walresetbug). */
const neededSqlite = '3.51.3';
const neededOpenFiles = 4_096;
const answerWithinMs = 2_000;

export function checkRuntime(version: string): Finding {
  return Number(version.split('.')[0]) >= neededNode
    ? ok('runtime', `Node ${version}`)
    : error(
        'runtime',
        `Node ${version} is too old`,
        `Run it on Node ${neededNode} or newer; npm ci brings one.`,
      );
}

export function checkSqlite(version: string): Finding {
  return version.localeCompare(neededSqlite, 'en', { numeric: true }) >= 0
    ? ok('sqlite', `SQLite ${version}`)
    : error(
        'sqlite',
        `SQLite ${version} can damage a database that two processes write to`,
        `Install better-sqlite3 with SQLite ${neededSqlite} or newer: npm ci takes the one Gantry was tested with.`,
      );
}

/** What a store would have set, tried on a database of its own. */
export function checkSettings(settings: ReturnType<DatabaseFiles['settings']>): Finding {
  const { journalMode, synchronous, foreignKeys, secureDelete } = settings;
  const isDurable = journalMode === 'wal' && synchronous === 2;
  return isDurable && foreignKeys === 1 && secureDelete === 1
    ? ok('settings', 'a write that is answered is on disk (journal_mode wal, synchronous FULL)')
    : error(
        'settings',
        `SQLite does not take the settings it is given: ${JSON.stringify(settings)}`,
        'Use a local disk that SQLite can lock and map (no network file system), and the better-sqlite3 of npm ci.',
      );
}

const limits = z.object({
  userLimits: z.object({ open_files: z.object({ soft: z.union([z.number(), z.string()]) }) }),
});

/** Every socket is an open file. */
export function checkOpenFiles(report: unknown): Finding[] {
  const parsed = limits.safeParse(report);
  if (!parsed.success) return []; // not told on this platform
  const { soft } = parsed.data.userLimits.open_files;
  if (typeof soft === 'string' || soft >= neededOpenFiles) return [ok('open-files', `up to ${soft}`)];
  return [
    warning(
      'open-files',
      `at most ${soft} files may be open, and every connection is one`,
      'Raise it: ulimit -n 65536, or LimitNOFILE=65536 in the systemd unit.',
    ),
  ];
}

/** Whether the server could listen where it is told to. */
export async function checkPort({ host, port }: Pick<Config, 'host' | 'port'>): Promise<Finding> {
  const where = `${host}:${port}`;
  const failure = await new Promise<NodeJS.ErrnoException | null>((resolve) => {
    const server = createServer();
    server.once('error', resolve);
    server.listen(port, host, () => server.close(() => resolve(null)));
  });
  switch (failure?.code) {
    case undefined:
      return ok('port', port === 0 ? 'a free one is taken at the start' : `${where} is free`);
    case 'EADDRINUSE':
      return (await isGantry(host, port))
        ? ok('port', `a Gantry answers at ${where}`)
        : error(
            'port',
            `another program listens at ${where}`,
            'Choose another PORT, or stop what listens there.',
          );
    case 'EACCES':
      return error(
        'port',
        `${where} may not be listened at`,
        'Choose a PORT above 1023, with a proxy in front.',
      );
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return error(
        'port',
        `${host} is no address of this machine`,
        'Set HOST to one of its addresses, or 0.0.0.0.',
      );
    default:
      return error(
        'port',
        `${where} cannot be listened at: ${failure?.message}`,
        'Choose another HOST or PORT.',
      );
  }
}

/** Whether what listens there answers as Gantry does. */
async function isGantry(host: string, port: number): Promise<boolean> {
  const reached = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  const url = `http://${reached.includes(':') ? `[${reached}]` : reached}:${port}/healthz`;
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(answerWithinMs) });
    return z.object({ status: z.literal('ok') }).safeParse(await response.json()).success;
  } catch {
    return false;
  }
}
