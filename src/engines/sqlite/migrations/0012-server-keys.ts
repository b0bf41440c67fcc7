/** The server's own keys; a table of every engine. Empty on SQLite, where keys are files in the data directory. */
export const serverKeys = `
CREATE TABLE server_keys (
  name TEXT PRIMARY KEY,
  sealed TEXT NOT NULL,
  changed_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
`;
