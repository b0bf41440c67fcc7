import { createServer } from 'node:net';
import { z } from 'zod';
import type { Config } from '../../config.ts';
import type { DatabaseFiles } from '../../core/storage/database-file.ts';
import { error, type Finding, ok, warning } from './finding.ts';

const minNodeVersion = 24;
/**
 * Older versions can corrupt the database when a write races a checkpoint (https://sqlite.org/wal.html#walresetbug).
 */
const minSqliteVersion = '3.51.3';
const minOpenFiles = 4_096;
const timeoutMs = 2_000;

export function checkRuntime(version: string): Finding {
  return Number(version.split('.')[0]) >= minNodeVersion
    ? ok('runtime', `Node ${version}`)
    : error(
        'runtime',
        `Node ${version} is too old`,
        `Run Gantry on Node ${minNodeVersion} or newer; npm ci installs one.`,
      );
}

export function checkSqlite(version: string): Finding {
  return version.localeCompare(minSqliteVersion, 'en', { numeric: true }) >= 0
    ? ok('sqlite', `SQLite ${version}`)
    : error(
        'sqlite',
        `SQLite ${version} can corrupt a database that two processes write to`,
        `Install better-sqlite3 with SQLite ${minSqliteVersion} or newer; npm ci installs the tested version.`,
      );
}

/** The settings that SQLite applied to a scratch database. */
export function checkSettings(settings: ReturnType<DatabaseFiles['settings']>): Finding {
  const { journalMode, synchronous, foreignKeys, secureDelete } = settings;
  const isDurable = journalMode === 'wal' && synchronous === 2;
  return isDurable && foreignKeys === 1 && secureDelete === 1
    ? ok('settings', 'acknowledged writes are durable (journal_mode wal, synchronous FULL)')
    : error(
        'settings',
        `SQLite did not apply the required settings:  ${JSON.stringify(settings)}`,
        'Use a local disk that supports locking and memory mapping (no network file system), and the better-sqlite3 that npm ci installs.',
      );
}

const limits = z.object({
  userLimits: z.object({ open_files: z.object({ soft: z.union([z.number(), z.string()]) }) }),
});

/** Every socket is an open file. */
export function checkOpenFiles(report: unknown): Finding[] {
  const parsed = limits.safeParse(report);
  if (!parsed.success) return []; // not reported on this platform
  const { soft } = parsed.data.userLimits.open_files;
  if (typeof soft === 'string' || soft >= minOpenFiles) return [ok('open-files', `up to ${soft}`)];
  return [
    warning(
      'open-files',
      `the limit is ${soft} open files, and every connection needs one`,
      'Raise the limit: ulimit -n 65536, or LimitNOFILE=65536 in the systemd unit.',
    ),
  ];
}

/** Whether the server could listen at its configured address. */
export async function checkPort({ host, port }: Pick<Config, 'host' | 'port'>): Promise<Finding> {
  const where = `${host}:${port}`;
  const failure = await new Promise<NodeJS.ErrnoException | null>((resolve) => {
    const server = createServer();
    server.once('error', resolve);
    server.listen(port, host, () => server.close(() => resolve(null)));
  });
  switch (failure?.code) {
    case undefined:
      return ok('port', port === 0 ? 'a free port is chosen on start' : `${where} is free`);
    case 'EADDRINUSE':
      return (await isGantry(host, port))
        ? ok('port', `Gantry is running at ${where}`)
        : error(
            'port',
            `another program is listening at ${where}`,
            'Choose another PORT, or stop that program.',
          );
    case 'EACCES':
      return error(
        'port',
        `no permission to listen at ${where}`,
        'Choose a PORT above 1023, with a proxy in front; or allow it: AmbientCapabilities=CAP_NET_BIND_SERVICE in the ' +
          'systemd unit.',
      );
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return error(
        'port',
        `${host} is not an address of this machine`,
        'Set HOST to one of its addresses, or 0.0.0.0.',
      );
    default:
      return error('port', `cannot listen at ${where}: ${failure?.message}`, 'Choose another HOST or PORT.');
  }
}

/** Whether the program listening at that address is Gantry. */
async function isGantry(host: string, port: number): Promise<boolean> {
  const address = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  const url = `http://${address.includes(':') ? `[${address}]` : address}:${port}/healthz`;
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(timeoutMs) });
    return z.object({ status: z.literal('ok') }).safeParse(await response.json()).success;
  } catch {
    return false;
  }
}
