/** The database cannot be used as it is; the message says why, and what to do. Nothing in it was changed. */
export class DatabaseUnusableError extends Error {}

/** It was written by a newer Gantry; opening it with this one could damage it. */
export class SchemaTooNewError extends DatabaseUnusableError {
  constructor(found: number, known: number) {
    super(
      `The database has schema version ${found}, and this Gantry knows versions up to ${known}. ` +
        'Run the newer Gantry that wrote it, or restore a backup made before the upgrade.',
    );
  }
}
