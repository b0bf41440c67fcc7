/** What games' clients read while they run, and its latest versions. */
export const gameConfig = `
CREATE TABLE game_configs (
  game_id TEXT PRIMARY KEY,
  version INTEGER NOT NULL,
  at INTEGER NOT NULL,
  entries TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE config_versions (
  game_id TEXT NOT NULL,
  version INTEGER NOT NULL,
  at INTEGER NOT NULL,
  entries TEXT NOT NULL,
  actor TEXT NOT NULL,
  comment TEXT NOT NULL,
  keys TEXT NOT NULL,
  restored INTEGER,
  PRIMARY KEY (game_id, version)
) STRICT;                          -- with row ids: rows are long
`;
