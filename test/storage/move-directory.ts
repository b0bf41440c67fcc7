import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openDatabase } from '../../src/engines/sqlite/open-database.ts';
import { notifyPlayer } from '../../src/features/notifications/commands.ts';
import { gantry } from '../support/gantry-process.ts';
import { listen } from '../support/listening-client.ts';
import { PostgresServer } from '../support/postgres-server.ts';
import { startTestServer } from '../support/server.ts';
import { until } from '../support/until.ts';

const secretKey = '5e'.repeat(32);

/** Events during the launcher's absence. */
const missed = 200;
const sent = { type: 'success' } as const;

export interface MoveCounts {
  /** Of each table, as counted on both sides. */
  tables: Record<string, number>;
  rows: number;
  /** Of the move alone. */
  seconds: number;
  /**
   * A launcher that was offline during the move: what it received when it returned, and streams it could not recover.
   */
  launcher: { missed: number; received: number; inOrder: boolean; resyncs: number; caughtUpMs: number };
}

/**
 * Fills a data directory with this many scores of a tenth as many players, moves it with `gantry migrate-to`, and lets
 * a launcher that left before catch up afterwards.
 */
export async function moveDirectory(scores: number): Promise<MoveCounts> {
  await using server = await PostgresServer.start({ fsync: true });
  const directory = await mkdtemp(join(tmpdir(), 'gantry-move-'));
  try {
    const onSqlite = { DATA_DIR: directory, DATABASE_URL: '', GANTRY_SECRET_KEY: secretKey };
    const before = await startTestServer(onSqlite);
    const { gameId } = await before.createGame();
    const player = await before.openSession(gameId);
    const { launcherJwt } = player;
    const away = listen({ url: before.url, launcherJwt });
    await away.client.ready();
    const { cursors } = away.client;
    away[Symbol.dispose]();
    for (let n = 0; n < missed; n++) {
      await before.services.db.write(notifyPlayer, player, { ...sent, message: `missed ${n}` });
    }
    await before.close();
    fill(join(directory, 'gantry.db'), gameId, scores);
    const env = { DATA_DIR: directory, GANTRY_SECRET_KEY: secretKey };
    const { code, stdout, stderr } = await gantry(['migrate-to', server.url(), '--json'], { env });
    if (code !== 0) throw new Error(stderr);
    const report: Omit<MoveCounts, 'launcher'> = JSON.parse(stdout);

    await using after = await startTestServer({
      DATABASE_URL: server.url(),
      GANTRY_SECRET_KEY: secretKey,
    });
    const from = performance.now();
    using back = listen({ url: after.url, launcherJwt, cursors });
    const told = () =>
      back.received.flatMap(({ name, record }) => (name === 'notifications created' ? [record.message] : []));
    await back.client.ready();
    await until('all that was missed', () => told().length >= missed).catch(() => false);
    const caughtUpMs = Math.round(performance.now() - from);
    const inOrder = told().every((message, n) => message === `missed ${n}`);
    const launcher = { missed, received: told().length, inOrder, resyncs: back.resyncs.length, caughtUpMs };
    return { ...report, launcher };
  } finally {
    await rm(directory, { recursive: true });
  }
}

/** By statements: a stream, a score and its event for each, and a row of the board for each player. */
function fill(file: string, gameId: string, scores: number): void {
  const db = openDatabase(file);
  const players = Math.max(1, Math.floor(scores / 10));
  const uuid = "printf('%08x-0000-7000-8000-%012x', @part, n)";
  const numbers =
    'WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < @count)';
  const values = { gameId, players: BigInt(players) };
  const run = (text: string, count: number, part: number) =>
    db
      .prepare(`INSERT INTO ${text.replace('NUMBERS', `${numbers} SELECT`)}`)
      .run({ ...values, count: BigInt(count), part: BigInt(part) });
  const stream =
    "(SELECT id FROM streams WHERE name = printf('player:%s:0x%040x', @gameId, 1 + n % @players))";
  db.transaction(() => {
    run(
      `streams (name, wallet, seq, first_seq, trim_at) NUMBERS printf('player:%s:0x%040x', @gameId, n),
        printf('0x%040x', n), 10, 1, 0 FROM numbers`,
      players,
      0,
    );
    run(
      `scores (id, stream_id, revision, nonce, score, reached_at, updated_at) NUMBERS ${uuid}, ${stream}, 1 + (n - 1) / @players,
        NULL, abs(random() % 1000000), 1700000000000, 1700000000000 FROM numbers`,
      scores,
      1,
    );
    run(
      `events (stream_id, seq, name, record, at) NUMBERS ${stream}, 1 + (n - 1) / @players, 'scores created',
        '{"score":1}', 1700000000000 FROM numbers`,
      scores,
      2,
    );
    const made = db
      .prepare<[string], { id: number }>('INSERT INTO boards (game_id) VALUES (?) RETURNING id')
      .get(gameId);
    db.prepare(
      `INSERT INTO board (stream_id, board_id, score_id, sort_score, reached_at)
        SELECT stream_id, ?, min(id), -max(score), 1700000000000 FROM scores GROUP BY stream_id`,
    ).run(made?.id);
  })();
  db.close();
}

// `node test/storage/move-directory.ts [SCORES]`: of a million rows by default
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const report = await moveDirectory(Number(process.argv[2] ?? 450_000));
  process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
  const { received, inOrder, resyncs } = report.launcher;
  process.exitCode = received === missed && inOrder && resyncs === 0 ? 0 : 1;
}
