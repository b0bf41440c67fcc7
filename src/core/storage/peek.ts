import type { AnyRow } from './table.ts';

/** What a peek can ask for: a column's value, or a text column's length in bytes of UTF-8 as `octets(json)`. */
export type Peekable<Row> = (keyof Row & string) | `octets(${keyof Row & string})`;

/** The answer of a peek. */
export type Peeked<Row, Name> = {
  readonly [Each in Name & string]: Each extends keyof Row ? Row[Each] : number;
};

/** The column whose length is asked for: `json` for `octets(json)`; undefined when its value is. */
export function measuredColumn(name: string): string | undefined {
  return /^octets\((\w+)\)$/.exec(name)?.[1];
}

/** The answer of a peek at a row that is in memory. */
export function peekAt(row: AnyRow | undefined, names: readonly string[]): AnyRow | undefined {
  if (!row) return undefined;
  return Object.fromEntries(
    names.map((name) => {
      const measured = measuredColumn(name);
      return [
        name,
        measured === undefined ? (row[name] ?? null) : Buffer.byteLength(String(row[measured] ?? '')),
      ];
    }),
  );
}
