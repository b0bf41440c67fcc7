import { type AnyRow, type AnyTable, columnOf } from '../../core/storage/table.ts';

/** Bytes charged for a row in addition to its text: the row with all its indexes. */
export const rowOverheadBytes = 512;

/** The bytes charged for a row with this text. */
export function storedBytes(text: string): number {
  return rowOverheadBytes + Buffer.byteLength(text);
}

/** The bytes that a row of a table counts in its game's quota, as the table declares. */
export function countedBytes(table: AnyTable, row: AnyRow): number {
  const { rows, texts, bytes } = table.counted ?? notCounted;
  let each = rowOverheadBytes;
  for (const text of texts) each += Buffer.byteLength(String(row[text] ?? ''));
  return rows * each + (bytes === null ? 0 : Number(row[bytes]));
}

/** SQL expression: `countedBytes` of a row; `alias` is that of its table, if it has one. */
export function countedBytesIn(table: AnyTable, alias?: string): string {
  const { rows, texts, bytes } = table.counted ?? notCounted;
  const of = (name: string) => `${alias === undefined ? '' : `${alias}.`}${columnOf(table, name).sqlName}`;
  const lengths = texts.map((text) => ` + coalesce(octet_length(${of(text)}), 0)`).join('');
  return `${rows} * (${rowOverheadBytes}${lengths})${bytes === null ? '' : ` + ${of(bytes)}`}`;
}

const notCounted = { rows: 0, texts: [], bytes: null };
