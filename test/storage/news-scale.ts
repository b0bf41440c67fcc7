import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Database } from '../../src/core/storage/database.ts';
import { Connection } from '../../src/engines/postgres/connection.ts';
import { PostgresDatabase } from '../../src/engines/postgres/postgres-database.ts';
import { openDatabase } from '../../src/engines/sqlite/open-database.ts';
import { SqliteDatabase } from '../../src/engines/sqlite/sqlite-database.ts';
import { registerGame } from '../../src/features/games/commands.ts';
import { addNews, moveNewsMark } from '../../src/features/news/commands.ts';
import { listPublished, pageWithReading } from '../../src/features/news/queries.ts';
import { domain } from '../../src/server/declarations/domain.ts';
import { walletOf } from '../bench/fill-by-sql.ts';
import { PostgresServer } from '../support/postgres-server.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { type Times, timed, timedInTurns, timesOf } from './timings.ts';

const atOnce = 200;
const page = { limit: 20, after: null };

/** One engine with its own data: SQL beside the store, for rows that are already there. */
interface Engine {
  open(): Promise<Database>;
  /** Inserts a row for each number from `from` to `count`: `wallet` is that of its player, `id` a random one. */
  fill(into: string, select: string, count: number, from?: number): Promise<void>;
  /** Of a table with its indexes. */
  sizeOf(table: string): Promise<{ rows: number; bytes: number }>;
}

/** Times in milliseconds. */
export interface NewsCounts {
  players: number;
  items: number;
  readers: number;
  marksBefore: { rows: number; bytes: number };
  marksOfReaders: { rows: number; bytes: number };
  /** When every player has read. */
  marksOfAll: { rows: number; bytes: number };
  news: { rows: number; bytes: number };
  mark: Times;
  /** Pages of 20, and the unread count of who has read nothing, and of who has read at some time. */
  reads: Record<'anyone' | 'newcomer' | 'reader' | 'inOneGame', Times>;
  readsWithAllMarks: Record<'anyone' | 'newcomer' | 'reader' | 'inOneGame', Times>;
  /** Unread counts that differ from those computed from the items' numbers. */
  wrong: number;
}

export async function measureNews(
  { open, fill, sizeOf }: Engine,
  { players, items, readers, reads }: { players: number; items: number; readers: number; reads: number },
): Promise<NewsCounts> {
  const making = await open();
  const secret = { hash: 'scale', sealedMd5: 'scale', sealedSecret: 'scale' };
  const { id: gameId } = await making.write(registerGame, { name: 'Scale' }, secret);
  const ids: string[] = [];
  for (let n = 0; n < items; n++) {
    const item = { title: `Item ${n}`, body: 'Text '.repeat(400), pinned: n % 100 === 0 };
    // Every second one is of the game.
    ids.push((await making.write(addNews, n % 2 ? gameId : '', item)).newsId);
  }
  await making.close();
  await fill('players (wallet, user_id, username, avatar, created_at)', `wallet, id, '', '', 1`, players);
  const db = await open();
  try {
    const upTo = (reader: number) => (reader * 7919) % items;
    const marksBefore = await sizeOf('news_marks');
    const marking: number[] = [];
    for (let n = 0; n < readers; n += atOnce) {
      await Promise.all(
        Array.from({ length: Math.min(atOnce, readers - n) }, async (_, at) => {
          const reader = n + at;
          const mark = () => db.write(moveNewsMark, walletOf(reader), '', ids[upTo(reader)] ?? '');
          marking.push(await timed(mark));
        }),
      );
    }
    let wrong = 0;
    const read = async (player: number, game: string | null) => {
      const { unread } = (await db.read(pageWithReading, walletOf(player), game, page)).reading;
      const after = player < readers ? upTo(player) + 1 : 0;
      const all = items - after;
      const ofGame = Math.floor(items / 2) - Math.floor(after / 2);
      if (unread !== (game === null ? all : ofGame)) wrong++;
    };
    const timeReads = () =>
      timedInTurns(
        {
          anyone: () => db.read(listPublished, null, page),
          newcomer: (n) => read(players - 1 - n, null),
          reader: (n) => read(n % readers, null),
          inOneGame: (n) => read(n % readers, gameId),
        },
        reads,
      );
    const marksOfReaders = await sizeOf('news_marks');
    const timesOfReads = await timeReads();
    const news = await sizeOf('news');
    // The rest, except those whom the newcomers are.
    await fill(
      'news_marks (wallet, game_id, published_at, news_id)',
      `wallet, '', 1, id`,
      players - reads,
      readers,
    );
    return {
      players,
      items,
      readers,
      marksBefore,
      marksOfReaders,
      marksOfAll: await sizeOf('news_marks'),
      news,
      mark: timesOf(marking),
      reads: timesOfReads,
      readsWithAllMarks: await timeReads(),
      wrong,
    };
  } finally {
    await db.close();
  }
}

/** `node test/storage/news-scale.ts --engine sqlite|postgres` */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      engine: { type: 'string', default: 'sqlite' },
      players: { type: 'string', default: '1000000' },
      items: { type: 'string', default: '1000' },
      readers: { type: 'string', default: '5000' },
      reads: { type: 'string', default: '1000' },
    },
  });
  const { engine, ...numbers } = values;
  const wanted = {
    players: Number(numbers.players),
    items: Number(numbers.items),
    readers: Number(numbers.readers),
    reads: Number(numbers.reads),
  };
  const counts = await (engine === 'postgres' ? onPostgres(wanted) : onSqlite(wanted));
  process.stdout.write(`${JSON.stringify(counts, null, 2)}\n`);
  const isRowAReader = counts.marksBefore.rows === 0 && counts.marksOfReaders.rows === wanted.readers;
  process.exitCode = counts.wrong === 0 && isRowAReader ? 0 : 1;
}

type Wanted = Parameters<typeof measureNews>[1];

async function onSqlite(wanted: Wanted): Promise<NewsCounts> {
  await using directory = await temporaryDirectory();
  const file = join(directory.path, 'gantry.db');
  const wallet = "'0x' || printf('%040x', n)";
  return await measureNews(
    {
      open: async () => new SqliteDatabase(file, domain),
      async fill(into, select, count, from = 0) {
        const db = openDatabase(file);
        const row = select.replace('wallet', wallet).replace('id', 'lower(hex(randomblob(16)))');
        db.prepare(
          `WITH RECURSIVE numbers(n) AS (SELECT ? UNION ALL SELECT n + 1 FROM numbers WHERE n + 1 < ?)
           INSERT INTO ${into} SELECT ${row} FROM numbers`,
        ).run(from, count);
        db.close();
      },
      async sizeOf(table) {
        const db = openDatabase(file);
        const sum = `SELECT sum(pgsize) FROM dbstat WHERE name = '${table}' OR name LIKE '${table}\\_by%' ESCAPE '\\'`;
        const found = [sum, `SELECT count(*) FROM ${table}`].map((text) => db.prepare(text).pluck().get());
        db.close();
        return { bytes: Number(found[0]), rows: Number(found[1]) };
      },
    },
    wanted,
  );
}

async function onPostgres(wanted: Wanted): Promise<NewsCounts> {
  await using server = await PostgresServer.start({ fsync: true, settings: { shared_buffers: '512MB' } });
  const url = server.url();
  const connection = await Connection.open(url, 'gantry news');
  try {
    await connection.script('SET statement_timeout = 0');
    return await measureNews(
      {
        open: () => PostgresDatabase.open(url, domain),
        async fill(into, select, count, from = 0) {
          const row = select
            .replace('wallet', `'0x' || lpad(to_hex(n), 40, '0')`)
            .replace('id', 'gen_random_uuid()');
          await connection.run(
            `INSERT INTO ${into} SELECT ${row} FROM generate_series($1::int, $2::int - 1) AS n`,
            [from, count],
          );
          await connection.script('VACUUM (ANALYZE)');
        },
        async sizeOf(table) {
          const { rows } = await connection.run<{ bytes: number; rows: number }>(
            `SELECT pg_total_relation_size('${table}') AS bytes, (SELECT count(*) FROM ${table}) AS rows`,
            [],
          );
          return { bytes: Number(rows[0]?.bytes), rows: Number(rows[0]?.rows) };
        },
      },
      wanted,
    );
  } finally {
    await connection.close();
  }
}

if (import.meta.main) await main();
