/** The database was written by a newer Gantry; opening it with this one could damage it. */
export class SchemaTooNewError extends Error {
  constructor(found: number, known: number) {
    super(
      `The database has schema version ${found}, and this Gantry knows versions up to ${known}. ` +
        'Run the newer Gantry that wrote it, or restore a backup made before the upgrade.',
    );
  }
}
