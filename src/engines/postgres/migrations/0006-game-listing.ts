/** Whether games are listed, unlisted or archived; their image and position in the list. */
export const gameListing = `
ALTER TABLE games ADD COLUMN listing text COLLATE "C" NOT NULL DEFAULT 'listed';
ALTER TABLE games ADD COLUMN image text COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE games ADD COLUMN sort_order bigint NOT NULL DEFAULT 0;
`;
