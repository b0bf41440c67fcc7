/** How each session was opened. Of those open at the upgrade it is not known. */
export const sessionOrigins = `
ALTER TABLE channel_sessions ADD COLUMN opened_by text COLLATE "C" NOT NULL DEFAULT 'unknown';
`;
