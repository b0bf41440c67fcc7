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

/** An address to listen at, and the settings that name it. */
interface Address {
  host: string;
  port: number;
  settings: { host: string; port: string };
  /** Where Gantry answers there, and what its answer matches. */
  probe: { path: string; answer: RegExp };
}

/** Whether the server could listen at its configured addresses. */
export async function checkPorts({
  host,
  port,
  metrics,
}: Pick<Config, 'host' | 'port' | 'metrics'>): Promise<Finding[]> {
  const own = await checkPort('port', {
    host,
    port,
    settings: { host: 'HOST', port: 'PORT' },
    probe: { path: '/healthz', answer: /^\{"status":"ok"/ },
  });
  if (metrics === null) return [own];
  if (port !== 0 && metrics.port === port && overlap(host, metrics.host)) {
    return [
      own,
      error('metrics-port', `METRICS_PORT is the same as PORT, ${port}`, 'Choose another METRICS_PORT.'),
    ];
  }
  return [
    own,
    await checkPort('metrics-port', {
      ...metrics,
      settings: { host: 'METRICS_HOST', port: 'METRICS_PORT' },
      probe: { path: '/metrics', answer: /^gantry_/m },
    }),
  ];
}

function overlap(...hosts: [string, string]): boolean {
  const [one, other] = hosts.map((host) => (host === 'localhost' ? '127.0.0.1' : host));
  return one === other || hosts.some((host) => ['0.0.0.0', '::'].includes(host));
}

async function checkPort(check: string, address: Address): Promise<Finding> {
  const { host, port, settings } = address;
  const where = `${host}:${port}`;
  const failure = await new Promise<NodeJS.ErrnoException | null>((resolve) => {
    const server = createServer();
    server.once('error', resolve);
    server.listen(port, host, () => server.close(() => resolve(null)));
  });
  switch (failure?.code) {
    case undefined:
      return ok(check, port === 0 ? 'a free port is chosen on start' : `${where} is free`);
    case 'EADDRINUSE':
      return (await isGantry(address))
        ? ok(check, `Gantry is running at ${where}`)
        : error(
            check,
            `another program is listening at ${where}`,
            `Choose another ${settings.port}, or stop that program.`,
          );
    case 'EACCES':
      return error(
        check,
        `no permission to listen at ${where}`,
        `Choose a ${settings.port} above 1023${check === 'port' ? ', with a proxy in front' : ''}; or allow it: ` +
          'AmbientCapabilities=CAP_NET_BIND_SERVICE in the systemd unit.',
      );
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return error(
        check,
        `${host} is not an address of this machine`,
        `Set ${settings.host} to one of its addresses, or 0.0.0.0.`,
      );
    default:
      return error(
        check,
        `cannot listen at ${where}: ${failure?.message}`,
        `Choose another ${settings.host} or ${settings.port}.`,
      );
  }
}

/** Whether the program listening at that address is Gantry. */
async function isGantry({ host, port, probe }: Address): Promise<boolean> {
  const address = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  const url = `http://${address.includes(':') ? `[${address}]` : address}:${port}${probe.path}`;
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(timeoutMs) });
    return probe.answer.test(await response.text());
  } catch {
    return false;
  }
}
