import type { AnyRow, Value } from '../../core/storage/table.ts';

/** One of the arrays that `unnest` takes: its element type, and each item's element. */
export interface ArrayColumn<Of> {
  readonly type: string;
  of(one: Of): Value;
}

/** A column that is written of a row, by its name in the database. */
export interface NamedColumn extends ArrayColumn<AnyRow> {
  readonly name: string;
}

/**
 * The arrays in PostgreSQL's binary format (`array_recv`, and `uuid_recv` and the like for their elements): nothing is
 * quoted here or parsed there.
 * @throws an error with PostgreSQL's code 22P02 for what is none of the type's values
 */
export function columnArrays<Of>(of: readonly Of[], columns: readonly ArrayColumn<Of>[]): Buffer[] {
  const ends: number[] = [];
  let at = 0;
  for (const column of columns) {
    at = writeArray(at, of, column);
    ends.push(at);
  }
  const written = Buffer.from(scratch.subarray(0, at));
  if (scratch.length > maxScratchBytes) scratch = Buffer.allocUnsafe(maxScratchBytes);
  return ends.map((end, place) => written.subarray(ends[place - 1] ?? 0, end));
}

/** `$1::text[], $2::bigint[]`: one array a column, from the parameter behind `from` on. */
export function arrays(columns: readonly Pick<ArrayColumn<never>, 'type'>[], from = 0): string {
  return columns.map(({ type }, at) => `$${from + at + 1}::${type}[]`).join(', ');
}

/** Writes an element of a type at an offset, where there is capacity for `maxBytes`; returns where it ends. */
interface ElementType {
  /** In `pg_type`. */
  readonly oid: number;
  /** The most bytes that a value takes. */
  maxBytes(value: string | number): number;
  write(value: string | number, at: number): number;
}

const maxScratchBytes = 1 << 20;
let scratch = Buffer.allocUnsafe(1 << 16);

const types: Readonly<Record<string, ElementType>> = {
  uuid: { oid: 2950, maxBytes: () => 16, write: writeUuid },
  text: {
    oid: 25,
    maxBytes: (value) => String(value).length * 3,
    write: (value, at) => at + scratch.write(String(value), at),
  },
  int: { oid: 23, maxBytes: () => 4, write: (value, at) => scratch.writeInt32BE(integer(value), at) },
  bigint: {
    oid: 20,
    maxBytes: () => 8,
    write(value, at) {
      const whole = integer(value);
      scratch.writeInt32BE(Math.floor(whole / 2 ** 32), at);
      return scratch.writeUInt32BE(whole >>> 0, at + 4);
    },
  },
  'double precision': {
    oid: 701,
    maxBytes: () => 8,
    write: (value, at) => scratch.writeDoubleBE(Number(value), at),
  },
};

function writeArray<Of>(from: number, of: readonly Of[], column: ArrayColumn<Of>): number {
  const type = types[column.type];
  if (!type) throw new Error(`arrays of ${column.type} are not written`);
  let at = from;
  ensureCapacity(at, 20);
  at = scratch.writeInt32BE(of.length === 0 ? 0 : 1, at); // dimensions
  at = scratch.writeInt32BE(1, at); // there may be nulls
  at = scratch.writeInt32BE(type.oid, at);
  if (of.length === 0) return at;
  at = scratch.writeInt32BE(of.length, at);
  at = scratch.writeInt32BE(1, at); // the first one's place
  for (const one of of) {
    const value = column.of(one);
    if (value === null) {
      ensureCapacity(at, 4);
      at = scratch.writeInt32BE(-1, at);
      continue;
    }
    ensureCapacity(at, 4 + type.maxBytes(value));
    const end = type.write(value, at + 4);
    scratch.writeInt32BE(end - at - 4, at);
    at = end;
  }
  return at;
}

function ensureCapacity(at: number, bytes: number): void {
  if (scratch.length - at >= bytes) return;
  const larger = Buffer.allocUnsafe(Math.max(scratch.length * 2, at + bytes));
  scratch.copy(larger, 0, 0, at);
  scratch = larger;
}

function integer(value: string | number): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value)) throw invalid('an integer', value);
  return value;
}

/** What a character is as a hexadecimal digit; -1: it is none. */
const digits = new Int8Array(128).fill(-1);
for (const [digit, character] of [...'0123456789abcdef'].entries()) {
  digits[character.charCodeAt(0)] = digit;
  digits[character.toUpperCase().charCodeAt(0)] = digit;
}

function writeUuid(value: string | number, at: number): number {
  const text = String(value);
  let end = at;
  for (let place = 0; place < 36; place += 2) {
    if (place === 8 || place === 13 || place === 18 || place === 23) {
      if (text[place] !== '-') throw invalid('a UUID', value);
      place++;
    }
    const high = digits[text.charCodeAt(place)] ?? -1;
    const low = digits[text.charCodeAt(place + 1)] ?? -1;
    if (high < 0 || low < 0) throw invalid('a UUID', value);
    scratch[end++] = (high << 4) | low;
  }
  if (text.length !== 36) throw invalid('a UUID', value);
  return end;
}

function invalid(what: string, value: unknown): Error {
  return Object.assign(new Error(`${JSON.stringify(value)} is not ${what}`), { code: '22P02' });
}
