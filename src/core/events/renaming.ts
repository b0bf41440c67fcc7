import { statement } from '../storage/query.ts';

/*
 * Statements that move a player's streams, with their events and sequence numbers, to another player. SQLite refers to
 * streams by an integer id, which does not change; PostgreSQL by a hash of the name.
 */

interface Renaming extends Record<string, string> {
  from: string;
  to: string;
}

const newId = `CAST(substr(encode(sha256(convert_to(replace(s.name, @from, @to), 'UTF8')), 'hex'), 1, 32) AS uuid)`;

/** Updates a column that refers to streams by id; must run before `renameStreams`. */
export function updateStreamReferences(table: string, column: string) {
  return statement<Renaming>({
    // A no-op: the ids do not change.
    sqlite: `UPDATE ${table} SET ${column} = ${column} WHERE @from = @to`,
    postgres: `UPDATE ${table} AS t SET ${column} = ${newId} FROM streams AS s WHERE s.wallet = @from AND t.${column} = s.id`,
  });
}

export const renameEvents = updateStreamReferences('events', 'stream_id');

export const renameStreams = statement<Renaming>({
  sqlite: 'UPDATE streams SET name = replace(name, @from, @to), wallet = @to WHERE wallet = @from',
  postgres: `UPDATE streams AS s SET id = ${newId}, name = replace(s.name, @from, @to), wallet = @to WHERE s.wallet = @from`,
});

/** The names of a player's streams. */
export const streamsOfPlayer = statement<{ wallet: string }, { name: string }>(
  'SELECT name FROM streams WHERE wallet = @wallet',
);

const ofPlayer = 'stream_id IN (SELECT id FROM streams WHERE wallet = @wallet)';

export const deleteEventsOfPlayer = statement<{ wallet: string }>(`DELETE FROM events WHERE ${ofPlayer}`);
export const deleteStreamsOfPlayer = statement<{ wallet: string }>(
  'DELETE FROM streams WHERE wallet = @wallet',
);

/** Rewrites the records in the player's own streams. */
export const rewriteOwnEvents = statement<Renaming & { wallet: string }>(
  `UPDATE events SET record = replace(record, @from, @to) WHERE ${ofPlayer}`,
);

const inStream = (found: string) => `UPDATE events SET record = replace(record, @from, @to)
  WHERE stream_id = (SELECT id FROM streams WHERE name = @stream) AND ${found} > 0`;

/** Rewrites the records of a stream's events. */
export const rewriteEvents = statement<Renaming & { stream: string }>({
  sqlite: inStream('instr(record, @from)'),
  postgres: inStream('strpos(record, @from)'),
});
