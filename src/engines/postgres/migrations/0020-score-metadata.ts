/** Scores on `default` carry metadata. */
export const scoreMetadata = 'ALTER TABLE scores ADD COLUMN metadata text COLLATE "C"';
