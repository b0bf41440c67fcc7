/** Sessions whose launchers were told last that someone is there, so that they can be told when nobody is. */
export const toldPresent = `
CREATE TABLE told_present (session_id TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
`;
