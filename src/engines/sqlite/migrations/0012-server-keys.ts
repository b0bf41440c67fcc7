/** The server's own keys, as every engine has the table for them. Empty here: they are files of the data directory. */
export const serverKeys = `
CREATE TABLE server_keys (
  name TEXT PRIMARY KEY,
  sealed TEXT NOT NULL,
  changed_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
`;
