/** Games are listed or not, or archived; and have an image and a place in the list. */
export const gameListing = `
ALTER TABLE games ADD COLUMN listing TEXT NOT NULL DEFAULT 'listed';
ALTER TABLE games ADD COLUMN image TEXT NOT NULL DEFAULT '';
ALTER TABLE games ADD COLUMN sort_order INTEGER NOT NULL DEFAULT 0;
`;
