import { statfs } from 'node:fs/promises';
import { Command } from 'commander';
import { dataFiles, readConfig } from '../config.ts';
import { ConfigError } from '../core/config-error.ts';
import { DatabaseUnusableError } from '../core/storage/database-unusable.ts';
import type { UpgradePlan, UpgradeSize } from '../core/storage/migrations.ts';
import { isThere } from '../runtime/is-there.ts';
import { databaseFiles, inspectServer } from '../server/open-store.ts';
import { sealedKeys } from '../tools/doctor/server-checks.ts';
import { print } from './output.ts';

/** Rows that migrations read and rewrite in a second, as measured on a busy machine: a million of SQLite's in 48 s. */
const rowsPerSecond = 20_000;
/** What a migration needs in addition to the tables that it rewrites, as a multiple of them: the log holds both. */
const spaceFactor = 2;
const mebibyte = 1024 * 1024;

/** What the check reports, as `--json` prints it. */
interface Upgrade {
  /** The version of the database's schema now, and after the upgrade. */
  schemaVersion: number | 'none';
  wanted: number;
  pending: UpgradePlan['pending'];
  /** Whether nodes of the version before may run beside this one. Never on SQLite, where all are stopped first. */
  nodesMayStay: boolean;
  /** Connected nodes; null on SQLite. */
  nodes: number | null;
  /** Whether the version before can use the database after the upgrade, with all that was written since. */
  rollBack: 'possible' | 'with a backup';
  /** The rows and bytes of the tables that pending migrations name: they read or rewrite at most these. */
  rows: number;
  bytes: number;
  seconds: number;
  /** Bytes of disk that may be needed, and are free; null: the disk is another machine's. */
  diskNeeded: number;
  diskFree: number | null;
  /** Why it cannot be upgraded. */
  blocked: string[];
}

export function upgradeCommand(): Command {
  return new Command('upgrade')
    .description('check whether and how the database can be upgraded to this version; changes nothing')
    .requiredOption('--check', 'exit with 1 if something prevents the upgrade')
    .addHelpText(
      'after',
      '\nRun this with the new version and the settings of the server, which may keep running.\n\nExample:\n  gantry upgrade --check',
    )
    .action(async ({ json }: { json?: boolean }) => {
      const config = readConfig();
      const upgrade =
        config.databaseUrl === undefined
          ? await ofDirectory(config.dataDirectory)
          : await ofServer(config.databaseUrl);
      if (json) print(upgrade, json);
      else process.stdout.write(`${textOf(upgrade, config.databaseUrl !== undefined)}\n`);
      if (upgrade.blocked.length > 0) process.exitCode = 1;
    });
}

async function ofDirectory(dataDirectory: string): Promise<Upgrade> {
  const { database } = dataFiles(dataDirectory);
  if (!isThere(database)) throw new ConfigError(`There is no database at ${database}: nothing to upgrade.`);
  const plan = databaseFiles.planUpgrade(database);
  const size = databaseFiles.measureUpgrade(database);
  const { bavail, bsize } = await statfs(dataDirectory);
  const upgrade = upgradeOf(plan, size, { nodes: null, diskFree: bavail * bsize });
  return { ...upgrade, nodesMayStay: false };
}

async function ofServer(url: string): Promise<Upgrade> {
  const found = await inspectServer(url, sealedKeys);
  if ('refused' in found) throw new DatabaseUnusableError(`The database of DATABASE_URL: ${found.why}`);
  const { upgrade: plan, upgradeSize, nodes, isReadOnly } = found;
  const upgrade = upgradeOf(plan, upgradeSize, { nodes, diskFree: null });
  if (isReadOnly) upgrade.blocked.push('The database is read-only: point DATABASE_URL to the primary.');
  return upgrade;
}

function upgradeOf(
  { from, to, pending, isAdmitted, keepsEarlier }: UpgradePlan,
  { rows, bytes }: UpgradeSize,
  { nodes, diskFree }: Pick<Upgrade, 'nodes' | 'diskFree'>,
): Upgrade {
  const diskNeeded = bytes * spaceFactor;
  const blocked: string[] = [];
  if (!isAdmitted) {
    blocked.push(
      `The schema ${from} is from a newer Gantry, and this one knows ${to}: run the newer one, or restore a backup.`,
    );
  }
  if (diskFree !== null && diskFree < diskNeeded) {
    blocked.push(`The disk has ${inMebibytes(diskFree)} free, and ${inMebibytes(diskNeeded)} may be needed.`);
  }
  return {
    schemaVersion: from ?? 'none',
    wanted: to,
    pending,
    nodesMayStay: keepsEarlier,
    nodes,
    rollBack: keepsEarlier ? 'possible' : 'with a backup',
    rows: Math.round(rows),
    bytes,
    seconds: Math.ceil(rows / rowsPerSecond),
    diskNeeded,
    diskFree,
    blocked,
  };
}

function textOf(upgrade: Upgrade, isShared: boolean): string {
  const { schemaVersion, wanted, pending, nodes, rows, bytes, seconds, diskNeeded, diskFree, blocked } =
    upgrade;
  const lines = [
    `Schema       ${schemaVersion}; this version uses ${wanted}`,
    `Pending      ${pending.length === 0 ? 'nothing' : pending.map(({ schema, name, kind }) => `${schema} ${name} (${kind})`).join(`\n${' '.repeat(13)}`)}`,
  ];
  if (pending.length > 0) {
    lines.push(
      `Takes        up to ${seconds} s: ${isShared ? 'about' : 'at most'} ${rows} rows, ${inMebibytes(bytes)}, are read or rewritten`,
      `Disk         up to ${inMebibytes(diskNeeded)}${diskFree === null ? ' on the database server' : ` of ${inMebibytes(diskFree)} free`}`,
    );
  }
  if (blocked.length > 0) return [...lines, ...blocked.map((why) => `Blocked      ${why}`)].join('\n');
  if (isShared) {
    lines.push(
      `Nodes        ${nodes} connected; nodes of the version before ${upgrade.nodesMayStay ? 'may run beside this one' : 'must be stopped first'}`,
    );
  } else lines.push('Servers      stop all that run on the data directory, and start this version');
  lines.push(
    upgrade.rollBack === 'possible'
      ? 'Roll back    possible: the version before can use the database and all that was written since'
      : 'Roll back    only by restoring a backup made before: later writes are lost',
    `Backup       ${isShared ? 'pg_dump, or a snapshot of the database server' : 'gantry backup <file>'}, before the upgrade`,
  );
  return lines.join('\n');
}

function inMebibytes(bytes: number): string {
  return `${Math.ceil(bytes / mebibyte)} MiB`;
}
