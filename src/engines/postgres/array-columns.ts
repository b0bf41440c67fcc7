import type { AnyRow, Value } from '../../core/storage/table.ts';

/** One array argument of `unnest`: its element type, and each item's element. */
export interface ArrayColumn<Of> {
  readonly type: string;
  of(one: Of): Value;
}

/** A column to write of a row, by its name in the database. */
export interface NamedColumn extends ArrayColumn<AnyRow> {
  readonly name: string;
}

/**
 * The arrays in PostgreSQL's binary format (`array_recv`, and `uuid_recv` and the like for their elements), which needs
 * no quoting here and no parsing there.
 * @throws an error with PostgreSQL's code 22P02 for a value that is not of the type
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
  return ends.map((end, index) => written.subarray(ends[index - 1] ?? 0, end));
}

/** `$1::text[], $2::bigint[]`: one array per column, beginning with the parameter after `from`. */
export function arrays(columns: readonly Pick<ArrayColumn<never>, 'type'>[], from = 0): string {
  return columns.map(({ type }, at) => `$${from + at + 1}::${type}[]`).join(', ');
}

interface ElementType {
  /** In `pg_type`. */
  readonly oid: number;
  /** The most bytes that a value takes. */
  maxBytes(value: string | number): number;
  /** Writes a value at an offset in `scratch`, which has capacity for `maxBytes`; returns the end offset. */
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
  if (!type) throw new Error(`arrays of ${column.type} are not supported`);
  let at = from;
  ensureCapacity(at, 20);
  at = scratch.writeInt32BE(of.length === 0 ? 0 : 1, at); // dimensions
  at = scratch.writeInt32BE(1, at); // may contain nulls
  at = scratch.writeInt32BE(type.oid, at);
  if (of.length === 0) return at;
  at = scratch.writeInt32BE(of.length, at);
  at = scratch.writeInt32BE(1, at); // lower bound
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

/** The value of each hexadecimal digit, by character code; -1: not a digit. */
const digits = new Int8Array(128).fill(-1);
for (const [digit, character] of [...'0123456789abcdef'].entries()) {
  digits[character.charCodeAt(0)] = digit;
  digits[character.toUpperCase().charCodeAt(0)] = digit;
}

function writeUuid(value: string | number, at: number): number {
  const text = String(value);
  let end = at;
  for (let index = 0; index < 36; index += 2) {
    if (index === 8 || index === 13 || index === 18 || index === 23) {
      if (text[index] !== '-') throw invalid('a UUID', value);
      index++;
    }
    const high = digits[text.charCodeAt(index)] ?? -1;
    const low = digits[text.charCodeAt(index + 1)] ?? -1;
    if (high < 0 || low < 0) throw invalid('a UUID', value);
    scratch[end++] = (high << 4) | low;
  }
  if (text.length !== 36) throw invalid('a UUID', value);
  return end;
}

function invalid(what: string, value: unknown): Error {
  return Object.assign(new Error(`${JSON.stringify(value)} is not ${what}`), { code: '22P02' });
}
