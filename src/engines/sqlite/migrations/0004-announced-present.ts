/** Sessions last announced as present to their launchers, so that their absence can be announced too. */
export const announcedPresent = `
CREATE TABLE told_present (session_id TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
`;
