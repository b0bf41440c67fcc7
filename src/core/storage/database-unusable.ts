/** The database cannot be used in its current state; the message says why, and what to do. It was not modified. */
export class DatabaseUnusableError extends Error {}

/** The database was written by a newer Gantry; opening it with this version could damage it. */
export class SchemaTooNewError extends DatabaseUnusableError {
  constructor(found: number, known: number) {
    super(
      `The database has schema version ${found}, and this Gantry knows versions up to ${known}. ` +
        'Run the newer Gantry that wrote it, or restore a backup made before the upgrade.',
    );
  }
}
