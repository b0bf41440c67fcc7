import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { newGuestAddress } from '../../src/core/schemas/fields.ts';
import type { Database } from '../../src/core/storage/database.ts';
import { PostgresDatabase } from '../../src/engines/postgres/postgres-database.ts';
import { ThreadedDatabase } from '../../src/engines/sqlite/sqlite-database.ts';
import { recordActivity } from '../../src/features/activities/commands.ts';
import { registerGame } from '../../src/features/games/commands.ts';
import { addGuest } from '../../src/features/guests/commands.ts';
import { createChannel } from '../../src/features/messages/channel-commands.ts';
import { sendMessage } from '../../src/features/messages/message-commands.ts';
import { setScore } from '../../src/features/scores/commands.ts';
import { startSession } from '../../src/features/sessions/commands.ts';
import { requestSignIn } from '../../src/features/sessions/sign-in-commands.ts';
import { saveState } from '../../src/features/states/commands.ts';
import { upgradeGuest } from '../../src/server/declarations/commands.ts';
import { domain } from '../../src/server/declarations/domain.ts';
import { PostgresServer } from '../support/postgres-server.ts';
import { randomWallet } from '../support/server.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

/** In milliseconds. */
export interface UpgradeTimes {
  /** Of the guest: half activities and messages, a quarter scores and states; each with its events. */
  rows: number;
  upgrade: number;
  /** Writes of another player meanwhile. */
  writes: number;
  slowestWrite: number;
  /** The same number of writes without an upgrade. */
  slowestBefore: number;
}

const hour = 3_600_000;
const atOnce = 2_000;

/**
 * Creates a guest with the given number of rows, gives it a wallet, and measures how long that delays another player's
 * writes.
 */
export async function measureUpgrade(db: Database, rows: number): Promise<UpgradeTimes> {
  const secret = { hash: 'scale', sealedMd5: 'scale', sealedSecret: 'scale' };
  const { id: gameId } = await db.write(registerGame, { name: 'Scale' }, secret);
  const other = { gameId, wallet: randomWallet() };
  await db.write(startSession, other, hour);
  const guest = { gameId, wallet: newGuestAddress() };
  const made = { address: guest.wallet, idleMs: 24 * hour };
  await db.write(addGuest, gameId, made, { secretHash: randomUUID(), name: '' }, hour);
  const channel = await db.write(createChannel, guest, [other.wallet]);
  const kinds = [
    () => db.write(recordActivity, guest, { label: '{username} was here', eventId: 'here' }),
    () => db.write(sendMessage, guest, channel._id, 'hello, everybody here'),
    (n: number) => db.write(setScore, guest, n),
    (n: number) => db.write(saveState, guest, `state ${n}`, '{"level":1}', 'hash'),
  ];
  const counted = [0, 0, 0, 1, 1, 1, 2, 3];
  for (let n = 0; n < rows; n += atOnce) {
    await Promise.all(
      Array.from({ length: Math.min(atOnce, rows - n) }, (_, at) => kinds[counted[at % 8] ?? 0]?.(n + at)),
    );
  }
  const wallet = randomWallet();
  const signIn = { id: randomUUID(), gameId, wallet, signRequest: '', expiresAt: 8e15 };
  await db.write(requestSignIn, signIn, guest.wallet);

  const measured = { isOver: false, slowest: 0, writes: 0 };
  const write = async () => {
    const from = performance.now();
    await db.write(setScore, other, measured.writes++, 'n');
    measured.slowest = Math.max(measured.slowest, performance.now() - from);
  };
  for (let n = 0; n < 200; n++) await write();
  const slowestBefore = measured.slowest;
  measured.slowest = measured.writes = 0;
  const writing = (async () => {
    while (!measured.isOver) await write();
  })();
  const from = performance.now();
  await db.write(upgradeGuest, guest, signIn.id, hour);
  const upgrade = performance.now() - from;
  measured.isOver = true;
  await writing;
  const [slowestWrite, before, took] = [measured.slowest, slowestBefore, upgrade].map(Math.round);
  return {
    rows,
    upgrade: took ?? 0,
    writes: measured.writes,
    slowestWrite: slowestWrite ?? 0,
    slowestBefore: before ?? 0,
  };
}

/** `node test/storage/guest-upgrade-scale.ts --engine sqlite|postgres --rows 200000` */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { engine: { type: 'string', default: 'sqlite' }, rows: { type: 'string', default: '200000' } },
  });
  const rows = Number(values.rows);
  const times = await (values.engine === 'postgres' ? onPostgres(rows) : onSqlite(rows));
  process.stdout.write(`${JSON.stringify(times, null, 2)}\n`);
}

async function onSqlite(rows: number): Promise<UpgradeTimes> {
  await using directory = await temporaryDirectory();
  const db = new ThreadedDatabase(join(directory.path, 'gantry.db'), domain);
  try {
    return await measureUpgrade(db, rows);
  } finally {
    await db.close();
  }
}

async function onPostgres(rows: number): Promise<UpgradeTimes> {
  await using server = await PostgresServer.start({ fsync: true, settings: { shared_buffers: '512MB' } });
  const db = await PostgresDatabase.open(server.url(), domain);
  try {
    return await measureUpgrade(db, rows);
  } finally {
    await db.close();
  }
}

if (import.meta.main) await main();
