/** A row was inserted whose key, or values of a unique index, another row has. The transaction was rolled back. */
export class RowExistsError extends Error {
  readonly table: string;

  constructor(table: string, options?: ErrorOptions) {
    super(`${table} already has a row with this key`, options);
    this.table = table;
  }
}
