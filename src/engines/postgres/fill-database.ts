import { events } from '../../core/events/events.ts';
import { streams } from '../../core/events/streams.ts';
import { DatabaseUnusableError } from '../../core/storage/database-unusable.ts';
import type { CopiedRows, StoredDatabase } from '../../core/storage/stored-database.ts';
import type { AnyRow, AnyTable } from '../../core/storage/table.ts';
import { arrays, columnArrays, type NamedColumn } from './array-columns.ts';
import { Connection, settled } from './connection.ts';
import { migrate } from './migrate.ts';
import { type PhysicalTable, PhysicalTables } from './physical-table.ts';
import { RankCounts } from './rank-counts.ts';
import { StreamIds } from './stream-ids.ts';

/** How much one statement writes: so many rows, or so many characters, whichever comes first. */
const batchRows = 2_000;
const batchCharacters = 2_000_000;
/** Statements sent ahead of the one that is being carried out. */
const maxAhead = 3;

/** All events of a database that was moved are of one lane, the first. */
const lane = 0;

/**
 * Fills an empty database with another one's rows, in one transaction: it is filled as a whole or stays empty, and no node
 * starts on it before. Rows are counted on both sides before that is committed.
 * @throws DatabaseUnusableError when it is not empty, or not the same is there afterwards; what the driver says
 */
export async function fillDatabase(
  url: string,
  tables: readonly AnyTable[],
  from: StoredDatabase,
  onProgress: (rows: number, total: number) => void,
): Promise<CopiedRows> {
  await migrate(url);
  const physical = new PhysicalTables([streams as AnyTable, ...tables, events as AnyTable], new StreamIds());
  const connection = await Connection.open(url, 'gantry migrate-to');
  try {
    await connection.script('BEGIN');
    await connection.script('SET LOCAL statement_timeout = 0');
    await connection.script('SET LOCAL idle_in_transaction_session_timeout = 0');
    await connection.script('SELECT version FROM schema_version FOR UPDATE'); // who starts waits for it: `migrate`
    await refuseFilled(connection, physical);
    const counts = await copyAll(connection, physical, from, onProgress);
    await connection.run('UPDATE history SET epoch = $1', [from.epoch]);
    await connection.run('INSERT INTO write_lanes (lane, position) VALUES ($1, $2)', [
      lane,
      from.lastPosition,
    ]);
    await recountBoards(connection, physical);
    await compareCounts(connection, physical, counts);
    await connection.script('COMMIT');
    await connection.script('SET statement_timeout = 0');
    await connection.script('ANALYZE'); // or the first hours would be planned for empty tables
    return counts;
  } finally {
    await connection.close();
  }
}

async function refuseFilled(connection: Connection, tables: PhysicalTables): Promise<void> {
  const names = [...[...tables.all].map(({ table }) => table.name), 'write_lanes'];
  const { rows } = await connection.run<{ name: string }>(
    names.map((name) => `SELECT '${name}' AS name WHERE EXISTS (SELECT 1 FROM ${name})`).join(' UNION ALL '),
  );
  if (rows.length === 0) return;
  throw new DatabaseUnusableError(
    `The PostgreSQL database is not empty: a node or a command has worked with it (${rows.map(({ name }) => name).join(', ')}). ` +
      'Nothing was changed. Create another database to move into.',
  );
}

async function copyAll(
  connection: Connection,
  tables: PhysicalTables,
  from: StoredDatabase,
  onProgress: (rows: number, total: number) => void,
): Promise<CopiedRows> {
  const counts = Object.fromEntries([...tables.all].map(({ table }) => [table.name, from.count(table)]));
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
  let done = 0;
  onProgress(done, total);
  const written = (rows: number) => {
    done += rows;
    onProgress(done, total);
  };
  for (const table of tables.all) {
    if (table.isStreams) await copy(connection, table, from.streams(), streamExtras(tables.ids), written);
    else if (table.table === (events as AnyTable))
      await copy(connection, table, from.events(), placed, written);
    else await copy(connection, table, from.rows(table.table), [], written);
  }
  return counts;
}

const streamExtras = (ids: StreamIds): readonly NamedColumn[] => [
  { name: 'id', type: 'uuid', of: (row) => ids.of(String(row.name)) },
  { name: 'last_lane', type: 'int', of: (row) => (row.lastPosition === null ? null : lane) },
  { name: 'last_position', type: 'bigint', of: (row) => row.lastPosition ?? null },
];

const placed: readonly NamedColumn[] = [
  { name: 'lane', type: 'int', of: () => lane },
  { name: 'position', type: 'bigint', of: (row) => row.position ?? null },
];

/** Statements are sent ahead, so that rows are read here while others are written there. */
async function copy(
  connection: Connection,
  table: PhysicalTable,
  rows: Iterable<AnyRow>,
  extras: readonly NamedColumn[],
  written: (rows: number) => void,
): Promise<void> {
  const columns = [
    ...table.columns.map(({ physicalName }) => physicalName),
    ...extras.map(({ name }) => name),
  ];
  const arrayColumns = [...table.written, ...extras];
  const text = `INSERT INTO ${table.table.name} (${columns.join(', ')}) SELECT * FROM unnest(${arrays(arrayColumns)})`;
  const sent: Promise<unknown>[] = [];
  let waiting: AnyRow[] = [];
  let characters = 0;
  const send = () => {
    const { length } = waiting;
    const insert = connection.run(text, columnArrays(waiting, arrayColumns)).then(() => written(length));
    insert.catch(() => {}); // thrown when it is waited for
    sent.push(insert);
    waiting = [];
    characters = 0;
  };
  for (const row of rows) {
    waiting.push(row);
    for (const { name } of table.columns) {
      const value = row[name];
      characters += typeof value === 'string' ? value.length : 8;
    }
    if (waiting.length < batchRows && characters < batchCharacters) continue;
    send();
    if (sent.length > maxAhead) await sent.shift();
  }
  if (waiting.length > 0) send();
  await settled(sent);
}

async function recountBoards(connection: Connection, tables: PhysicalTables): Promise<void> {
  const ranks = new RankCounts();
  for (const table of rankedIn(tables)) {
    const text = `SELECT DISTINCT board_id AS board FROM ${table.name}`;
    const { rows } = await connection.run<{ board: string }>(text);
    for (const { board } of rows) await ranks.recount(connection, table, board);
  }
}

function rankedIn(tables: PhysicalTables): AnyTable[] {
  return [...tables.all].map(({ table }) => table).filter(({ ranked }) => ranked !== null);
}

/** What is there now against what was there, and what is counted of the boards against their rows. */
async function compareCounts(
  connection: Connection,
  tables: PhysicalTables,
  counts: CopiedRows,
): Promise<void> {
  const names = [...tables.all].map(({ table }) => table.name);
  const { rows } = await connection.run<{ name: string; count: number }>(
    [
      ...names.map((name) => `SELECT '${name}' AS name, count(*) AS count FROM ${name}`),
      ...rankedIn(tables).map(
        ({ name }) =>
          `SELECT '${name}', coalesce(sum(c.count), 0) FROM board_counts AS c JOIN boards AS b ON b.id = c.board_id
            WHERE b.ranked = '${name}'`,
      ),
    ].join(' UNION ALL '),
  );
  const wrong = rows.filter(({ name, count }) => count !== counts[name]);
  if (wrong.length === 0) return;
  const said = wrong.map(({ name, count }) => `${name}: ${counts[name]} rows, of which ${count} arrived`);
  throw new DatabaseUnusableError(`The copy is not complete, and was undone. ${said.join('; ')}.`);
}
