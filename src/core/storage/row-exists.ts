/** A row was inserted whose key, or values of a unique index, another row has. The transaction was rolled back. */
export class RowExistsError extends Error {
  readonly table: string;

  constructor(table: string, { key, cause }: { key?: string; cause?: unknown }) {
    super(`${table} already has a row with ${key === undefined ? 'this key' : `the key ${key}`}`, { cause });
    this.table = table;
  }
}
