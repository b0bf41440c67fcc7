/**
 * The lowest schema that a program must know to use this database: see `core/storage/migrations.ts`. Not in
 * `schema_version`, which nodes that start meanwhile have locked.
 */
export const schemaCompatibility =
  'ALTER TABLE history ADD COLUMN oldest_compatible integer NOT NULL DEFAULT 0';
