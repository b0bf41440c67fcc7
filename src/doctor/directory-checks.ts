import { accessSync, constants, existsSync, readFileSync, type Stats, statfsSync, statSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { SecretBox } from '../auth/game-secret.ts';
import { TokenKeys } from '../auth/token-keys.ts';
import { type Config, dataFiles } from '../config.ts';
import type { DatabaseCondition, DatabaseFiles } from '../store/database-file.ts';
import { error, type Finding, ok, warning } from './finding.ts';

const mebibyte = 1024 * 1024;
const tooLittleBytes = 64 * mebibyte;
const littleBytes = 1024 * mebibyte;
/** The log is cut back to 64 MiB when it can be; far above that, something keeps it from being. */
const largeWalBytes = 256 * mebibyte;

/** `f_type` of file systems of other machines (statfs(2)), where SQLite's write-ahead log does not work. */
const networkFileSystems = new Map([
  [0x6969, 'NFS'],
  [0xff534d42, 'CIFS'],
  [0xfe534d42, 'SMB'],
  [0x517b, 'SMB'],
  [0x01021997, '9P'],
  [0x00c36400, 'Ceph'],
]);

/** The data directory: whose it is, what is in it, and whether there is room. */
export function checkDirectory({ dataDirectory }: Config): Finding[] {
  const check = 'data-directory';
  const stats = statSync(dataDirectory, { throwIfNoEntry: false });
  if (!stats) {
    return [
      warning(
        check,
        `${dataDirectory} is not there; the first start makes it`,
        'If there should be data already, set DATA_DIR to where it is.',
      ),
      ...checkDisk(nearestThatIs(dataDirectory)),
    ];
  }
  if (!stats.isDirectory()) {
    return [error(check, `${dataDirectory} is not a directory`, 'Set DATA_DIR to a directory.')];
  }
  return [checkAccess(check, dataDirectory, stats), ...checkDisk(dataDirectory)];
}

function checkAccess(check: string, directory: string, stats: Stats): Finding {
  const uid = process.getuid?.();
  if (!mayWrite(directory)) {
    return error(
      check,
      `${directory} cannot be written`,
      `Run Gantry as its owner, or: chown -R $(id -u) ${directory}`,
    );
  }
  if (uid !== undefined && stats.uid !== uid) {
    return warning(
      check,
      `${directory} belongs to another user (uid ${stats.uid}, and this is ${uid})`,
      'Run every command as the user the server runs as: files that another one makes may be closed to it.',
    );
  }
  if ((stats.mode & 0o077) !== 0) {
    return warning(
      check,
      `${directory} is open to other users of this machine (mode ${octal(stats)})`,
      `chmod 700 ${directory}`,
    );
  }
  return ok(check, `${directory}, readable by its owner only`);
}

function mayWrite(directory: string): boolean {
  try {
    accessSync(directory, constants.R_OK | constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function checkDisk(directory: string): Finding[] {
  const { bavail, bsize, type } = statfsSync(directory);
  const free = bavail * bsize;
  const shown = `${Math.floor(free / mebibyte)} MiB free`;
  const system = networkFileSystems.get(type);
  return [
    free < tooLittleBytes
      ? error(
          'disk',
          shown,
          'Make room now, or move DATA_DIR to a larger disk: writes are refused when it is full.',
        )
      : free < littleBytes
        ? warning('disk', shown, 'Make room: the write-ahead log, backups and upgrades need some.')
        : ok('disk', shown),
    ...(system === undefined
      ? []
      : [
          error(
            'file-system',
            `${directory} is on a network file system (${system}), where SQLite cannot keep what it promises`,
            'Move DATA_DIR to a local disk.',
          ),
        ]),
  ];
}

function nearestThatIs(path: string): string {
  return existsSync(path) ? path : nearestThatIs(dirname(path));
}

/** The key files: there, readable as keys, and by nobody else. */
export function checkKeys(config: Config): Finding[] {
  const { database, tokenKeys, secretKey, adminTokenHash } = dataFiles(config.dataDirectory);
  const isNew = !existsSync(database);
  const wanted = [
    {
      file: tokenKeys,
      ifMissing: {
        message: 'the server does not start without it',
        remedy:
          'Put it back from a backup; if there is none: gantry key rotate, after which players sign in again.',
      },
      read: () => void new TokenKeys(tokenKeys),
    },
    ...(config.secretKey === undefined
      ? [
          {
            file: secretKey,
            ifMissing: {
              message: 'the server does not start without it',
              remedy: 'Put it back from a backup, or set GANTRY_SECRET_KEY to what it held.',
            },
            read: () => refuseNoKey(secretKey),
          },
        ]
      : []),
    ...(config.adminToken === undefined
      ? [{ file: adminTokenHash, read: () => refuseNoKey(adminTokenHash) }]
      : []),
  ];
  return wanted.map(({ file, ifMissing, read }): Finding => {
    const name = basename(file);
    const stats = statSync(file, { throwIfNoEntry: false });
    if (!stats) {
      if (isNew) return ok('keys', `${name} is made at the first start`);
      return ifMissing === undefined
        ? warning('keys', `${name} is missing`, 'The next start makes a new admin token and prints it, once.')
        : error('keys', `${name} is missing: ${ifMissing.message}`, ifMissing.remedy);
    }
    if ((stats.mode & 0o077) !== 0) {
      return error('keys', `${name} can be read by other users (mode ${octal(stats)})`, `chmod 600 ${file}`);
    }
    try {
      read();
      return ok('keys', `${name} is there, readable by its owner only`);
    } catch {
      return error('keys', `${name} cannot be read as what it should be`, 'Put the file back from a backup.');
    }
  });
}

function refuseNoKey(file: string): void {
  if (!/^[0-9a-f]{64}$/i.test(readFileSync(file, 'utf8').trim())) throw new Error('not a key');
}

/** The database: whole, of a schema that is known, and its log of a size that can be. */
export function checkDatabase(config: Config, databases: DatabaseFiles): Finding[] {
  const { database, secretKey } = dataFiles(config.dataDirectory);
  if (!existsSync(database)) return [ok('database', 'is made at the first start')];
  let condition: DatabaseCondition;
  try {
    condition = databases.inspect(database);
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    return [error('database', why, 'Restore a backup: gantry restore <file> --force')];
  }
  const { damage, bytes, walBytes, sealedSample } = condition;
  return [
    damage.length === 0
      ? ok('database', `whole, ${Math.ceil(bytes / mebibyte)} MiB`)
      : error(
          'database',
          `damaged: ${damage.slice(0, 3).join('; ')}`,
          'Stop the server, keep a copy of the data directory, and restore a backup: gantry restore <file> --force. ' +
            'Then find out why; disks and memory that fail do this.',
        ),
    checkSchema(condition.schemaVersion, databases.schemaVersion),
    walBytes <= largeWalBytes
      ? ok('write-ahead-log', `${Math.ceil(walBytes / mebibyte)} MiB`)
      : warning(
          'write-ahead-log',
          `${Math.ceil(walBytes / mebibyte)} MiB, which slows reading down`,
          'Look for a program that keeps the database open for reading (a backup, a shell), and end it.',
        ),
    ...(sealedSample === null ? [] : checkSecretKey(sealedSample, secretKey, config.secretKey)),
  ];
}

function checkSchema(found: number, known: number): Finding {
  if (found === known) return ok('schema', `version ${found}`);
  return found < known
    ? warning(
        'schema',
        `version ${found}, and this Gantry works with ${known}`,
        'Make a backup, then run gantry migrate; the next start of the server does it too.',
      )
    : error(
        'schema',
        `version ${found} is of a newer Gantry; this one knows versions up to ${known}`,
        'Run the newer Gantry, or restore a backup made before the upgrade.',
      );
}

function checkSecretKey(sealed: string, file: string, configured: string | undefined): Finding[] {
  if (configured === undefined && !existsSync(file)) return []; // said of the keys
  try {
    new SecretBox(file, configured).open(sealed);
    return [ok('secret-key', 'opens the game secrets')];
  } catch {
    return [
      error(
        'secret-key',
        'is not the key that the game secrets in the database were encrypted with; the server does not start with it',
        'Set GANTRY_SECRET_KEY to the key they were encrypted with, or put secret.key back from a backup.',
      ),
    ];
  }
}

function octal({ mode }: Stats): string {
  return (mode & 0o777).toString(8);
}
