/** Listing status, image and sort order of games. */
export const gameListing = `
ALTER TABLE games ADD COLUMN listing TEXT NOT NULL DEFAULT 'listed';
ALTER TABLE games ADD COLUMN image TEXT NOT NULL DEFAULT '';
ALTER TABLE games ADD COLUMN sort_order INTEGER NOT NULL DEFAULT 0;
`;
