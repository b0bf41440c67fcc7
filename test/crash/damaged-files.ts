import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  cpSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { dataFiles } from '../../src/config.ts';
import { gantry, serveGantry } from '../support/gantry-process.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { audit, isComplete } from './audit.ts';
import { burst, Poster } from './burst.ts';
import { Ledger } from './ledger.ts';
import { addPlayersTo, loadSettings } from './players.ts';

const writes = 600;
/** An unprivileged user, who may not write to root's files. */
const nobody = 65_534;

type Files = ReturnType<typeof dataFiles>;

/** A kind of damage to a data directory, and the error of the start that refuses it. */
interface Damage {
  what: string;
  damage(files: Files, round: number): void;
  says: RegExp;
  /** The server is started as a user without write permission; only root can do so. */
  asNobody?: true;
}

const damages: readonly Damage[] = [
  {
    what: 'a database cut in half',
    damage: ({ database }) => truncateSync(database, statSync(database).size >> 1),
    says: /gantry\.db cannot be read as a database .*restore a backup/,
  },
  {
    what: 'a database truncated in the middle of a page',
    damage: ({ database }, round) => truncateSync(database, statSync(database).size - 1_000 - round),
    says: /gantry\.db cannot be read as a database .*restore a backup/,
  },
  {
    what: 'flipped bytes in a page of a table',
    damage: flipPage,
    says: /gantry\.db cannot be read as a database .*restore a backup/,
  },
  {
    what: 'an empty database file',
    damage: ({ database }) => truncateSync(database, 0),
    says: /gantry\.db is empty.*restore a backup/,
  },
  {
    what: 'a file that is not a database',
    damage: ({ database }) => writeFileSync(database, 'Dear diary, '.repeat(1_000)),
    says: /gantry\.db cannot be read as a database .*restore a backup/,
  },
  {
    what: "another program's database",
    damage: ({ database }) => {
      rmSync(database);
      new SqliteDatabase(database).exec('CREATE TABLE recipes (cake TEXT)').close();
    },
    says: /gantry\.db is not a database of Gantry's/,
  },
  {
    what: 'a missing database, with its write-ahead log still there',
    damage: ({ database }) => {
      cpSync(database, `${database}-wal`);
      rmSync(database);
    },
    says: /gantry\.db is not there, but .*-wal is.*DATA_DIR=\/\S+ gantry restore/,
  },
  {
    what: 'a missing key file',
    damage: ({ tokenKeys }) => rmSync(tokenKeys),
    says: /token-keys\.json is missing.*backup.*DATA_DIR=\/\S+ gantry key rotate/,
  },
  {
    what: 'a missing secrets key',
    damage: ({ secretKey }) => rmSync(secretKey),
    says: /secret\.key is missing.*backup.*GANTRY_SECRET_KEY/,
  },
  {
    what: 'an empty key file',
    damage: ({ tokenKeys }) => truncateSync(tokenKeys, 0),
    says: /token-keys\.json does not hold the keys.*backup.*DATA_DIR=\/\S+ gantry key rotate/,
  },
  {
    what: 'half of the secrets key',
    damage: ({ secretKey }) => truncateSync(secretKey, 32),
    says: /secret\.key does not hold a key.*backup/,
  },
  {
    what: 'a different secrets key',
    damage: ({ secretKey }) => writeFileSync(secretKey, 'ab'.repeat(32)),
    says: /is not the key that the game secrets .* were encrypted with.*put the file back/,
  },
  {
    what: 'a read-only directory',
    damage: ({ database }) => makeReadOnly(join(database, '..')),
    says: /cannot be opened for writing.*Grant the user|permission denied/,
    asNobody: true,
  },
  {
    what: 'a read-only database',
    damage: ({ database }) => {
      const directory = join(database, '..');
      giveAway(directory);
      chownSync(database, 0, 0);
      chmodSync(database, 0o444);
    },
    says: /gantry\.db cannot be opened for writing/,
    asNobody: true,
  },
  {
    what: 'a read-only file of the shared memory, left by a start on a read-only database',
    damage: ({ database }) => {
      giveAway(join(database, '..'));
      writeFileSync(`${database}-shm`, '', { mode: 0o400 });
      chownSync(`${database}-shm`, nobody, nobody);
    },
    says: /gantry\.db-shm cannot be opened for writing.*Grant the user/,
    asNobody: true,
  },
];

export interface DamageReport {
  /** Starts on damaged data. */
  starts: number;
  /** Of these, the number that served calls nevertheless. */
  startedAnyway: number;
  /** Those that ended with 0, a stack trace, or without the sentence that says what to do; each by name. */
  unclearErrors: string[];
  /** Those that changed a file. */
  changedFiles: string[];
  /** Starts with a damaged write-ahead log: SQLite recovers the intact part of it. */
  damagedLogs: number;
  /** Of these, those that did not start, or on an inconsistent database. */
  unrecoveredLogs: string[];
  skipped: string[];
}

export function refusesAll({
  startedAnyway,
  unclearErrors,
  changedFiles,
  unrecoveredLogs,
}: DamageReport): boolean {
  return startedAnyway + unclearErrors.length + changedFiles.length + unrecoveredLogs.length === 0;
}

/**
 * Damages the files of a server that has executed writes, in every way and the given number of times, and starts it on
 * each.
 */
export async function damagedFiles(
  rounds: number,
  onStart: (report: DamageReport) => void = () => {},
): Promise<DamageReport> {
  await using place = await temporaryDirectory();
  chmodSync(place.path, 0o755); // for the starts as an unprivileged user
  const whole = join(place.path, 'whole');
  const killed = join(place.path, 'killed');
  const ledger = await fill(whole, killed);
  const report: DamageReport = {
    starts: 0,
    startedAnyway: 0,
    unclearErrors: [],
    changedFiles: [],
    damagedLogs: 0,
    unrecoveredLogs: [],
    skipped: [],
  };
  const isRoot = process.getuid?.() === 0;
  for (let round = 0; round < rounds; round++) {
    for (const { what, damage, says, asNobody } of damages) {
      if (asNobody && !isRoot) {
        if (round === 0) report.skipped.push(`${what} (takes root)`);
        continue;
      }
      const directory = join(place.path, 'damaged');
      cpSync(whole, directory, { recursive: true });
      damage(dataFiles(directory), round);
      const before = contents(directory);
      const { code, stdout, stderr } = await gantry(['serve'], {
        env: { DATA_DIR: directory, PORT: '0', GANTRY_DEMO: 'off', LOG_LEVEL: 'warn' },
        endAfter: /listening on/,
        ...(asNobody && { uid: nobody }),
      });
      report.starts++;
      if (stdout.includes('listening on')) report.startedAnyway++;
      if (code !== 1 || !says.test(stderr) || /^\s+at /m.test(stderr))
        report.unclearErrors.push(`${what}: ${code} ${stderr}`);
      if (JSON.stringify(contents(directory)) !== JSON.stringify(before)) report.changedFiles.push(what);
      onStart(report);
      rmSync(directory, { recursive: true });
    }
    for (const { what, damage } of logDamages) {
      const directory = join(place.path, 'damaged');
      cpSync(killed, directory, { recursive: true });
      const { database } = dataFiles(directory);
      damage(`${database}-wal`, round);
      report.damagedLogs++;
      try {
        await (await serveGantry(directory, loadSettings)).end('SIGTERM');
        // Everything after the damage in the log is lost, and nothing else: the rest is consistent.
        const { lost: _, ...findings } = await audit(database, ledger);
        if (!isComplete({ ...findings, lost: 0 })) report.unrecoveredLogs.push(what);
      } catch (error) {
        report.unrecoveredLogs.push(`${what}: ${error}`);
      }
      onStart(report);
      rmSync(directory, { recursive: true });
    }
  }
  return report;
}

const logDamages: readonly { what: string; damage(log: string, round: number): void }[] = [
  {
    what: 'a log of garbage',
    damage: (log) => writeFileSync(log, Buffer.alloc(statSync(log).size, 'garbage')),
  },
  { what: 'a log without a byte in it', damage: (log) => truncateSync(log, 0) },
  {
    what: 'a truncated log',
    damage: (log, round) => truncateSync(log, Math.floor(statSync(log).size * ((round % 9) + 1) * 0.1)),
  },
  {
    what: 'flipped bytes in a log',
    damage: (log, round) => {
      const bytes = readFileSync(log);
      const at = Math.floor(bytes.length * ((round % 9) + 1) * 0.1);
      for (let n = at; n < at + 64; n++) bytes[n] = (bytes[n] ?? 0) ^ 0xff;
      writeFileSync(log, bytes);
    },
  },
];

/** Fills a data directory; `killed` gets a copy from the middle, with everything still in the write-ahead log. */
async function fill(whole: string, killed: string): Promise<Ledger> {
  const players = await addPlayersTo(whole, 4);
  const posters = players.map((player) => new Poster(player, 2_000));
  const ledger = new Ledger();
  // Writes after a reader has begun stay in the log: otherwise a checkpoint could be in progress, since unsent messages
  // make the server empty its log.
  using reader = readingSince(dataFiles(whole).database);
  const server = await serveGantry(whole, loadSettings);
  try {
    await burst(server.url, posters, ledger, () => ledger.answeredCount >= writes);
    // By another process: this one would release the reader's locks when it closes the files it has read.
    execFileSync('cp', ['-R', whole, killed]);
    reader.end();
    for (const poster of posters) poster.hangUp();
  } finally {
    await server.end('SIGTERM');
  }
  return ledger;
}

/** Holds a read transaction on a database until it is ended. */
function readingSince(database: string): Disposable & { end(): void } {
  const db = new SqliteDatabase(database, { readonly: true });
  db.exec('BEGIN');
  db.prepare('SELECT count(*) FROM sqlite_schema').get();
  const end = () => void db.close();
  return { end, [Symbol.dispose]: end };
}

/** The first page of a table's rows, a different one each round, so that its content is certainly wrong. */
function flipPage({ database }: Files, round: number): void {
  const db = new SqliteDatabase(database, { readonly: true });
  const roots = db
    .prepare<[], number>(
      "SELECT rootpage FROM sqlite_schema WHERE type = 'table' AND rootpage > 1 ORDER BY rootpage",
    )
    .pluck()
    .all();
  const pageBytes = Number(db.pragma('page_size', { simple: true }));
  db.close();
  const page = roots[round % roots.length] ?? 2;
  const bytes = readFileSync(database);
  for (let at = (page - 1) * pageBytes; at < page * pageBytes; at++) bytes[at] = (bytes[at] ?? 0) ^ 0xff;
  writeFileSync(database, bytes);
}

function giveAway(directory: string): void {
  chownSync(directory, nobody, nobody);
  for (const name of readdirSync(directory)) chownSync(join(directory, name), nobody, nobody);
}

function makeReadOnly(directory: string): void {
  giveAway(directory);
  chownSync(directory, 0, 0);
  chmodSync(directory, 0o555);
}

function contents(directory: string): [string, string][] {
  return (
    readdirSync(directory)
      // Opening a database leaves an index of its log, and an empty log.
      .filter((name) => !name.endsWith('-shm') && !(name.endsWith('-wal') && sizeOf(directory, name) === 0))
      .map((name) => [name, readFileSync(join(directory, name)).toString('base64')])
  );
}

function sizeOf(directory: string, name: string): number {
  return statSync(join(directory, name)).size;
}
