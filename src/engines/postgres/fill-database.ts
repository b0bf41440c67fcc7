import { events, streams } from '../../core/events/tables.ts';
import { DatabaseUnusableError } from '../../core/storage/database-unusable.ts';
import type { CopiedRows, StoredDatabase } from '../../core/storage/stored-database.ts';
import type { AnyRow, AnyTable } from '../../core/storage/table.ts';
import { arrays, columnArrays, type NamedColumn } from './array-columns.ts';
import { Connection, settled } from './connection.ts';
import { migrate } from './migrate.ts';
import { type PhysicalTable, PhysicalTables } from './physical-table.ts';
import { RankCounts } from './rank-counts.ts';
import { StreamIds } from './stream-ids.ts';

/** How much one statement inserts: this many rows or characters, whichever comes first. */
const maxBatchRows = 2_000;
const maxBatchCharacters = 2_000_000;
/** Statements sent ahead of the one being executed. */
const maxAhead = 3;

/** All events of a migrated database are in one lane, the first. */
const lane = 0;

/**
 * Fills an empty database with another one's rows, in one transaction: the copy is complete or the database stays
 * empty, and no node can start on it in between. Rows are counted on both sides before the commit.
 * @throws DatabaseUnusableError when the database is not empty, or the counts differ; the driver's error
 */
export async function fillDatabase(
  url: string,
  tables: readonly AnyTable[],
  from: StoredDatabase,
  onProgress: (rows: number, total: number) => void,
): Promise<CopiedRows> {
  await migrate(url);
  const physical = new PhysicalTables([streams, ...tables, events], new StreamIds());
  const connection = await Connection.open(url, 'gantry migrate-to');
  try {
    await connection.script('BEGIN');
    await connection.script('SET LOCAL statement_timeout = 0');
    await connection.script('SET LOCAL idle_in_transaction_session_timeout = 0');
    await connection.script('SELECT version FROM schema_version FOR UPDATE'); // starting nodes wait for it: `migrate`
    await requireEmpty(connection, physical);
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
    await connection.script('ANALYZE'); // otherwise queries would at first be planned for empty tables
    return counts;
  } finally {
    await connection.close();
  }
}

async function requireEmpty(connection: Connection, tables: PhysicalTables): Promise<void> {
  const names = [...[...tables.all].map(({ table }) => table.name), 'write_lanes'];
  const { rows } = await connection.run<{ name: string }>(
    names.map((name) => `SELECT '${name}' AS name WHERE EXISTS (SELECT 1 FROM ${name})`).join(' UNION ALL '),
  );
  if (rows.length === 0) return;
  throw new DatabaseUnusableError(
    `The PostgreSQL database is not empty: a node or a command has used it (${rows.map(({ name }) => name).join(', ')}). ` +
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
  const onWritten = (rows: number) => {
    done += rows;
    onProgress(done, total);
  };
  for (const table of tables.all) {
    if (table.isStreams) await copy(connection, table, from.streams(), streamExtras(tables.ids), onWritten);
    else if (table.table === events) await copy(connection, table, from.events(), eventExtras, onWritten);
    else await copy(connection, table, from.rows(table.table), [], onWritten);
  }
  return counts;
}

const streamExtras = (ids: StreamIds): readonly NamedColumn[] => [
  { name: 'id', type: 'uuid', of: (row) => ids.of(String(row.name)) },
  { name: 'last_lane', type: 'int', of: (row) => (row.lastPosition === null ? null : lane) },
  { name: 'last_position', type: 'bigint', of: (row) => row.lastPosition ?? null },
];

const eventExtras: readonly NamedColumn[] = [
  { name: 'lane', type: 'int', of: () => lane },
  { name: 'position', type: 'bigint', of: (row) => row.position ?? null },
];

/** Sends statements ahead, so that reading rows here overlaps with writing them there. */
async function copy(
  connection: Connection,
  table: PhysicalTable,
  rows: Iterable<AnyRow>,
  extras: readonly NamedColumn[],
  onWritten: (rows: number) => void,
): Promise<void> {
  const columns = [
    ...table.columns.map(({ physicalName }) => physicalName),
    ...extras.map(({ name }) => name),
  ];
  const arrayColumns = [...table.written, ...extras];
  const text = `INSERT INTO ${table.table.name} (${columns.join(', ')}) SELECT * FROM unnest(${arrays(arrayColumns)})`;
  const sent: Promise<unknown>[] = [];
  let batch: AnyRow[] = [];
  let characters = 0;
  const send = () => {
    const { length } = batch;
    const insert = connection.run(text, columnArrays(batch, arrayColumns)).then(() => onWritten(length));
    insert.catch(() => {}); // thrown where it is awaited
    sent.push(insert);
    batch = [];
    characters = 0;
  };
  for (const row of rows) {
    batch.push(row);
    for (const { name } of table.columns) {
      const value = row[name];
      characters += typeof value === 'string' ? value.length : 8;
    }
    if (batch.length < maxBatchRows && characters < maxBatchCharacters) continue;
    send();
    if (sent.length > maxAhead) await sent.shift();
  }
  if (batch.length > 0) send();
  await settled(sent);
}

async function recountBoards(connection: Connection, tables: PhysicalTables): Promise<void> {
  const ranks = new RankCounts([...tables.all].map(({ table }) => table));
  for (const table of rankedIn(tables)) {
    const text = `SELECT DISTINCT board_id AS board FROM ${table.name}`;
    const { rows } = await connection.run<{ board: string }>(text);
    for (const { board } of rows) await ranks.recount(connection, table, board);
  }
}

function rankedIn(tables: PhysicalTables): AnyTable[] {
  return [...tables.all].map(({ table }) => table).filter(({ ranked }) => ranked !== null);
}

/** Compares the tables' row counts with the source's, and the boards' counts with their rows. */
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
  const details = wrong.map(({ name, count }) => `${name}: ${counts[name]} rows, of which ${count} arrived`);
  throw new DatabaseUnusableError(`The copy is incomplete and was rolled back. ${details.join('; ')}.`);
}
