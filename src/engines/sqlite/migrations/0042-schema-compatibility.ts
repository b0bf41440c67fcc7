/** The lowest schema that a program must know to use this database: see `core/storage/migrations.ts`. */
export const schemaCompatibility =
  'ALTER TABLE history ADD COLUMN oldest_compatible INTEGER NOT NULL DEFAULT 0';
