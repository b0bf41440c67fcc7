import { existsSync, readdirSync, readFileSync, type Stats, statfsSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { type Config, dataFiles } from '../../config.ts';
import { commandOn, shellQuote } from '../../core/command-hint.ts';
import type { DatabaseCondition, DatabaseFiles } from '../../core/storage/database-file.ts';
import { gameSecrets } from '../../features/games/tables.ts';
import { FileTokenKeys } from '../../features/sessions/file-token-keys.ts';
import { describeMissingDatabase, restoringPrefix } from '../../server/backup/missing-database.ts';
import { minFreeBytes } from '../../server/low-disk.ts';
import { checkAccess, statsOf } from './file-access.ts';
import { error, type Finding, found, ok, warning } from './finding.ts';
import { checkSchema, checkSecretKey } from './shared-checks.ts';

const mebibyte = 1024 * 1024;
const lowFreeBytes = 1024 * mebibyte;
/** Less free space in the database than this is not worth a restart. */
const largeFreeBytes = 64 * mebibyte;
/** The WAL is truncated to 64 MiB when possible; a much larger one means that a reader blocks checkpoints. */
const largeWalBytes = 256 * mebibyte;

/** `f_type` of network file systems (statfs(2)), on which SQLite's write-ahead log does not work. */
const networkFileSystems = new Map([
  [0x6969, 'NFS'],
  [0xff534d42, 'CIFS'],
  [0xfe534d42, 'SMB'],
  [0x517b, 'SMB'],
  [0x01021997, '9P'],
  [0x00c36400, 'Ceph'],
]);

/** The data directory: ownership, permissions and free space. */
export function checkDirectory({ dataDirectory }: Config): Finding[] {
  const check = 'data-directory';
  const stats = statsOf(dataDirectory);
  if (stats === null) return checkMissingDirectory(check, dataDirectory);
  if ('blockedBy' in stats) return found(checkAccess(check, stats.blockedBy, 'enter'));
  if (!stats.isDirectory()) {
    return [error(check, `${dataDirectory} is not a directory`, 'Set DATA_DIR to a directory.')];
  }
  return [
    checkAccess(check, dataDirectory, 'use', stats) ?? checkOwner(check, dataDirectory, stats),
    ...checkDisk(dataDirectory),
  ];
}

function checkMissingDirectory(check: string, dataDirectory: string): Finding[] {
  const parent = nearestExisting(dataDirectory);
  if (!statSync(parent).isDirectory()) {
    return [
      error(
        check,
        `${dataDirectory} cannot be created: ${parent} is not a directory`,
        'Set DATA_DIR to a directory.',
      ),
    ];
  }
  return [
    checkCreatable(check, dataDirectory, parent) ??
      warning(
        check,
        `${dataDirectory} does not exist; it is created on first start`,
        'If you expect existing data, set DATA_DIR to its directory.',
      ),
    ...checkDisk(parent),
  ];
}

function checkCreatable(check: string, directory: string, parent: string): Finding | null {
  return checkAccess(check, parent, 'use') === null
    ? null
    : error(
        check,
        `${directory} does not exist, and this user may not create it: permission denied in ${parent}`,
        `Create it: sudo install -d -m 700 -o ${process.getuid?.()} ${shellQuote(directory)}`,
      );
}

/** Where the running server writes backups: a directory that this user may use or create. */
export function checkBackupDirectory({ backupDirectory }: Config): Finding {
  const check = 'backups';
  const stats = statsOf(backupDirectory);
  if (stats !== null && 'blockedBy' in stats) {
    return checkAccess(check, stats.blockedBy, 'enter') ?? ok(check, backupDirectory);
  }
  const existing = stats === null ? nearestExisting(backupDirectory) : backupDirectory;
  if (!statSync(existing).isDirectory()) {
    return error(check, `${existing} is not a directory`, 'Set BACKUP_DIR to a directory.');
  }
  return stats === null
    ? (checkCreatable(check, backupDirectory, existing) ??
        ok(check, `${backupDirectory} is created with the first backup`))
    : (checkAccess(check, backupDirectory, 'use', stats) ?? ok(check, `are written to ${backupDirectory}`));
}

function checkOwner(check: string, directory: string, stats: Stats): Finding {
  const uid = process.getuid?.();
  if (uid !== undefined && stats.uid !== uid) {
    return warning(
      check,
      `${directory} is owned by another user (uid ${stats.uid}; running as ${uid})`,
      'Run all commands as the user of the server: it may not be able to read files of other users.',
    );
  }
  if ((stats.mode & 0o077) !== 0) {
    return warning(
      check,
      `${directory} is accessible to other users (mode ${octal(stats)})`,
      `chmod 700 ${shellQuote(directory)}`,
    );
  }
  return ok(check, `${directory}, readable by its owner only`);
}

function checkDisk(directory: string): Finding[] {
  const { bavail, blocks, bsize, type } = statfsSync(directory);
  if (blocks === 0) {
    return [
      error(
        'disk',
        `${directory} is on a file system that stores no files`,
        'Set DATA_DIR to a directory on a local disk.',
      ),
    ];
  }
  const free = bavail * bsize;
  const message = `${Math.floor(free / mebibyte)} MiB free`;
  const system = networkFileSystems.get(type);
  return found(
    free < minFreeBytes
      ? error(
          'disk',
          message,
          'Free up space now, or move DATA_DIR to a larger disk: writes fail when it is full.',
        )
      : free < lowFreeBytes
        ? warning('disk', message, 'Free up space: the write-ahead log, backups and upgrades need it.')
        : ok('disk', message),
    system !== undefined &&
      error(
        'file-system',
        `${directory} is on a network file system (${system}), where SQLite does not guarantee durability`,
        'Move DATA_DIR to a local disk.',
      ),
  );
}

function nearestExisting(path: string): string {
  return existsSync(path) ? path : nearestExisting(dirname(path));
}

/** The key files: present, valid, and readable by their owner only. */
export function checkKeys(config: Config): Finding[] {
  const { database, tokenKeys, secretKey, adminTokenHash } = dataFiles(config.dataDirectory);
  const isNew = !existsSync(database);
  const rotate = `run ${commandOn(config.dataDirectory, 'gantry key rotate')}: players then have to sign in again.`;
  const restoreSecret = 'Restore it from a backup, or set GANTRY_SECRET_KEY to its value.';
  const expectedFiles = [
    {
      file: tokenKeys,
      ifMissing: `Restore it from a backup; without one, ${rotate}`,
      ifInvalid: `Restore it from a backup; without one, remove it and ${rotate}`,
      read: () => void new FileTokenKeys(tokenKeys),
    },
    ...(config.secretKey === undefined
      ? [
          {
            file: secretKey,
            ifMissing: restoreSecret,
            ifInvalid: restoreSecret,
            read: () => checkHexKey(secretKey),
          },
        ]
      : []),
    ...(config.adminToken === undefined
      ? [
          {
            file: adminTokenHash,
            ifInvalid:
              'Restore it from a backup, or remove it: the next start creates a new admin token and prints it once.',
            read: () => checkHexKey(adminTokenHash),
          },
        ]
      : []),
  ];
  return expectedFiles.map(({ file, ifMissing, ifInvalid, read }): Finding => {
    const name = basename(file);
    const stats = statSync(file, { throwIfNoEntry: false });
    if (!stats) {
      if (isNew) return ok('keys', `${name} is created on first start`);
      return ifMissing === undefined
        ? warning(
            'keys',
            `${name} is missing`,
            'The next start creates a new admin token and prints it once.',
          )
        : error('keys', `${name} is missing: the server does not start without it`, ifMissing);
    }
    const denied = checkAccess('keys', file, 'read', stats);
    if (denied) return denied;
    if ((stats.mode & 0o077) !== 0) {
      return error(
        'keys',
        `${name} is readable by other users (mode ${octal(stats)})`,
        `chmod 600 ${shellQuote(file)}`,
      );
    }
    try {
      read();
      return ok('keys', `${name} is present, readable by its owner only`);
    } catch {
      return error('keys', `${name} is not a valid key file: the server does not start with it`, ifInvalid);
    }
  });
}

function checkHexKey(file: string): void {
  if (!isHexKey(file)) throw new Error('not a key');
}

function isHexKey(file: string): boolean {
  return /^[0-9a-f]{64}$/i.test(readFileSync(file, 'utf8').trim());
}

/** The database: integrity, schema version, and the size of its write-ahead log. */
export function checkDatabase(config: Config, databases: DatabaseFiles): Finding[] {
  const { database, secretKey } = dataFiles(config.dataDirectory);
  const restore = commandOn(config.dataDirectory, 'gantry restore <file> --force');
  if (!existsSync(database)) {
    const missing = describeMissingDatabase(config.dataDirectory);
    return [
      missing === null
        ? ok('database', 'is created on first start')
        : error('database', missing, `Restore a backup: ${restore}`),
    ];
  }
  const files = [database, `${database}-wal`, `${database}-shm`].filter((file) => existsSync(file));
  const denied = found(...files.map((file) => checkAccess('database', file, 'read and write')));
  if (denied.length > 0) return denied;
  let condition: DatabaseCondition;
  try {
    condition = databases.inspect(database, { table: gameSecrets, column: 'sealedMd5' });
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    return [error('database', why, `Restore a backup: ${restore}`)];
  }
  const { damage, bytes, freeBytes, walBytes, sealedSample } = condition;
  return found(
    damage.length === 0
      ? ok('database', `intact, ${Math.ceil(bytes / mebibyte)} MiB`)
      : error(
          'database',
          `damaged: ${damage.slice(0, 3).join('; ')}`,
          `Stop the server, keep a copy of the data directory, and restore a backup: ${restore}. ` +
            'Then look for the cause, such as a failing disk or memory.',
        ),
    checkRestores(config.dataDirectory),
    checkSchema(
      condition.upgrade,
      `run ${commandOn(config.dataDirectory, 'gantry migrate')}, or start the server, which also migrates.`,
    ),
    condition.droppedLogs.map(({ file, frames }) =>
      error(
        'write-ahead-log',
        `was damaged: at least ${frames} frames of acknowledged writes are lost; the log was kept as ${basename(file)}`,
        'Restore a backup if it has the missing data. Look for the cause, such as a failing disk, and then delete the ' +
          'file, which contains player data.',
      ),
    ),
    walBytes <= largeWalBytes
      ? ok('write-ahead-log', `${Math.ceil(walBytes / mebibyte)} MiB`)
      : warning(
          'write-ahead-log',
          `${Math.ceil(walBytes / mebibyte)} MiB, which slows down reads`,
          'Find the program with an open read transaction (a backup, a shell), and end it.',
        ),
    freeBytes >= Math.max(largeFreeBytes, bytes / 2) &&
      warning(
        'free-space',
        `${Math.ceil(freeBytes / mebibyte)} of the ${Math.ceil(bytes / mebibyte)} MiB of the database are free since data was deleted; later writes use them`,
        `To give them back to the disk, stop all servers and run ${commandOn(config.dataDirectory, 'gantry compact')}.`,
      ),
    // Without a valid key, that is reported with the keys.
    sealedSample !== null &&
      (config.secretKey !== undefined || (existsSync(secretKey) && isHexKey(secretKey))) &&
      checkSecretKey(
        sealedSample,
        { file: secretKey, configured: config.secretKey },
        {
          what: 'the game secrets in the database',
          remedy: 'Set GANTRY_SECRET_KEY to the right key, or restore secret.key from a backup.',
        },
      ),
  );
}

function checkRestores(dataDirectory: string): Finding[] {
  const names = readdirSync(dataDirectory).filter((name) => name.startsWith(restoringPrefix));
  return names.map((name) =>
    warning(
      'restores',
      `${name} is left from a restore that was interrupted: it contains a copy of the backup, with its keys`,
      `Unless a restore is running, delete it: rm -r ${shellQuote(join(dataDirectory, name))}`,
    ),
  );
}

function octal({ mode }: Stats): string {
  return (mode & 0o777).toString(8);
}
