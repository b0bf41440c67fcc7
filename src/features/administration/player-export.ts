import { GantryError } from '../../core/errors.ts';
import { streamsOfPlayer } from '../../core/events/renaming.ts';
import { ownerIn } from '../../core/events/stream.ts';
import { isCanonicalUuid } from '../../core/schemas/ids.ts';
import { query, type Read, type ReadSteps, type Statement, statement } from '../../core/storage/query.ts';
import { type AnyRow, columnOf, type Value } from '../../core/storage/table.ts';
import { unknownPlayer } from '../players/guests.ts';
import { guests, players } from '../players/tables.ts';
import { type ExportedTable, exportedTables } from './player-export-tables.ts';
import { erasures } from './tables.ts';

/** A page ends after about this many characters, so that large states do not fill memory. */
const maxPageLength = 1024 * 1024;
/** How many rows of up to a megabyte are read at a time. */
const largeRowsAtOnce = 4;

/** One record of an exported player: its table, and the exported columns of its row, with JSON parsed. */
export interface PlayerRecord {
  type: string;
  row: Record<string, unknown>;
}

/** The row after which an export continues. */
export interface ExportPlace {
  /** The name of its table. */
  table: string;
  /** Its game or stream, for a table that is read by these; otherwise ''. */
  scope: string;
  /** Its values of the ordering columns; empty: before the first row. */
  after: readonly (string | number)[];
}

/**
 * A page of everything stored of a player in all games, at most `limit` records; shorter ones are complete up to `next`.
 * Rows that exist during the whole export are exported exactly once; others may be missing.
 * @throws GantryError `player_unknown`, `guest_upgraded`
 */
export const readPlayerExport = query(
  'readPlayerExport',
  function* (
    read,
    wallet: string,
    place: ExportPlace | null,
    limit: number,
  ): ReadSteps<{ records: PlayerRecord[]; next: ExportPlace | null }> {
    if (!(yield* read.get(players, wallet))) {
      throw unknownPlayer(yield* read.get(guests, wallet));
    }
    if (yield* read.get(erasures, wallet)) {
      throw new GantryError('player_unknown', 'This player is being erased');
    }
    const records: PlayerRecord[] = [];
    let length = 0;
    const first = place === null ? 0 : parts.findIndex(({ name }) => name === place.table);
    for (const part of parts.slice(first)) {
      const { name } = part;
      const continued = name === place?.table ? place : null;
      for (const scope of yield* scopesOf(read, part, wallet, continued?.scope ?? '')) {
        let after = continued?.scope === scope ? continued.after : [];
        for (;;) {
          if (records.length >= limit || length >= maxPageLength) {
            return { records, next: { table: name, scope, after } };
          }
          const count = Math.min(limit - records.length, part.rowsAtOnce);
          const values = { wallet, scope, ...scopeValues(scope), ...orderValues(after), limit: count };
          const rows = yield* read.all(after.length === 0 ? part.fromStart : part.following, values);
          for (const row of rows) {
            records.push({ type: name, row: part.toRecord(row, scope) });
            length += lengthOf(row);
          }
          const last = rows.at(-1);
          if (last === undefined || rows.length < count) break;
          after = part.placeOf(last);
        }
      }
    }
    return { records, next: null };
  },
);

/** Whether a place from outside has the form of those that this export returns. */
export function isExportPlace({ table, scope, after }: ExportPlace): boolean {
  const part = parts.find(({ name }) => name === table);
  if (!part?.isScope(scope)) return false;
  return (
    after.length === 0 || (after.length === part.kinds.length && part.kinds.every((is, n) => is(after[n])))
  );
}

// ---- statements built from the table declarations

type ExportValues = Record<string, Value>;
type ExportStatement = Statement<ExportValues, AnyRow>;

/** An exported table, with its statements. */
interface Part {
  name: string;
  rowsAtOnce: number;
  /** The games or streams in which a player has rows; null: not read by these. */
  scopes: Statement<{ wallet: string }, { name: string }> | null;
  isScope(scope: string): boolean;
  fromStart: ExportStatement;
  following: ExportStatement;
  toRecord(row: AnyRow, scope: string): Record<string, unknown>;
  placeOf(row: AnyRow): (string | number)[];
  /** The form of the values of a place. */
  kinds: readonly ((value: unknown) => boolean)[];
}

const parts: readonly Part[] = exportedTables.map(toPart);

function toPart(exported: ExportedTable): Part {
  const { table, columns, computed = {}, order, scope, isLarge = false } = exported;
  const declared = columns.map((name) => columnOf(table, name));
  return {
    name: table.name,
    rowsAtOnce: isLarge ? largeRowsAtOnce : Number.POSITIVE_INFINITY,
    scopes: scope === undefined ? null : scope === 'stream' ? streamsOfPlayer : gamesWith(exported),
    isScope(given) {
      if (scope === 'stream') return ownerIn(given) !== null;
      return scope === undefined ? given === '' : isCanonicalUuid(given);
    },
    fromStart: rowsOf(exported, false),
    following: rowsOf(exported, true),
    toRecord(row, within) {
      const record: Record<string, unknown> = {};
      if (scope === 'stream') record.gameId = ownerIn(within)?.gameId;
      for (const name of Object.keys(computed)) record[name] = row[name] ?? null;
      for (const { name, kind } of declared) {
        const value = row[name] ?? null;
        record[name] = kind === 'json' && typeof value === 'string' ? (JSON.parse(value) as unknown) : value;
      }
      return record;
    },
    placeOf: (row) => order.map((_, n) => row[`place${n}`] ?? ''),
    kinds: order.map((name) => {
      const { kind } = columnOf(table, name);
      if (exported.isByRowid || kind === 'board')
        return (value) => Number.isSafeInteger(value) || isCanonicalUuid(value);
      if (kind === 'uuid') return isCanonicalUuid;
      return kind === 'text' ? (value) => typeof value === 'string' : Number.isSafeInteger;
    }),
  };
}

function rowsOf(exported: ExportedTable, continues: boolean): ExportStatement {
  const { table, columns, computed = {}, order, isByRowid = false, scope, where } = exported;
  const { player, stream } = table.of;
  const textOf = (ordered: readonly string[]) => {
    const selected = [
      ...columns.map((name) => `t.${columnOf(table, name).sqlName} AS "${name}"`),
      ...Object.entries(computed).map(([name, expression]) => `${expression} AS "${name}"`),
      ...ordered.map((column, n) => `${column} AS "place${n}"`),
    ];
    const conditions = [
      stream === undefined
        ? `t.${columnOf(table, player ?? '').sqlName} = @wallet`
        : `t.${columnOf(table, stream).sqlName}_id = (SELECT id FROM streams WHERE name = @scope)`,
      ...(scope === 'game' ? [`t.${columnOf(table, table.of.game ?? '').sqlName} = @scope`] : []),
      ...(where === undefined ? [] : [where]),
      ...(continues ? [`(${ordered.join(', ')}) > (${ordered.map((_, n) => `@place${n}`).join(', ')})`] : []),
    ];
    return `SELECT ${selected.join(', ')}
      FROM ${table.name} AS t WHERE ${conditions.join(' AND ')} ORDER BY ${ordered.join(', ')} LIMIT @limit`;
  };
  const ordered = order.map((name) => {
    const { sqlName, kind } = columnOf(table, name);
    return kind === 'board' ? `t.${sqlName}_id` : `t.${sqlName}`;
  });
  return statement({ sqlite: textOf(isByRowid ? ['t.rowid'] : ordered), postgres: textOf(ordered) });
}

function gamesWith({ table }: ExportedTable) {
  const [game = '', player = ''] = [table.of.game, table.of.player].map(
    (name = '') => columnOf(table, name).sqlName,
  );
  return statement<{ wallet: string }, { name: string }>(
    `SELECT g.id AS name FROM games AS g
      WHERE EXISTS (SELECT 1 FROM ${table.name} AS t WHERE t.${game} = g.id AND t.${player} = @wallet)`,
  );
}

function* scopesOf(read: Read, { scopes, isScope }: Part, wallet: string, from: string): ReadSteps<string[]> {
  if (scopes === null) return [''];
  const rows = yield* read.all(scopes, { wallet });
  return rows
    .map(({ name }) => name)
    .filter((name) => isScope(name) && name >= from)
    .toSorted();
}

function scopeValues(scope: string): { gameId?: string } {
  const gameId = ownerIn(scope)?.gameId;
  return gameId === undefined ? {} : { gameId };
}

function orderValues(after: readonly Value[]): ExportValues {
  return Object.fromEntries(after.map((value, n) => [`place${n}`, value]));
}

function lengthOf(row: AnyRow): number {
  let length = 0;
  for (const value of Object.values(row)) length += typeof value === 'string' ? value.length : 8;
  return length;
}
