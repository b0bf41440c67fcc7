/** How long players have played each game, and what they have open. */
export const playtime = `
CREATE TABLE playtime (
  wallet TEXT NOT NULL,
  game_id TEXT NOT NULL,
  ms INTEGER NOT NULL,
  sessions INTEGER NOT NULL,
  first_at INTEGER NOT NULL,
  started_at INTEGER NOT NULL,     -- of the latest session
  last_at INTEGER NOT NULL,
  PRIMARY KEY (wallet, game_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX playtime_by_game ON playtime(game_id, wallet);

CREATE TABLE open_plays (
  wallet TEXT PRIMARY KEY,
  game_id TEXT NOT NULL,
  node_id TEXT NOT NULL,
  started_at INTEGER NOT NULL,
  started_up INTEGER NOT NULL      -- by the node's own clock
) STRICT, WITHOUT ROWID;
CREATE INDEX open_plays_by_node ON open_plays(node_id, wallet);
CREATE INDEX open_plays_by_game ON open_plays(game_id, wallet);

CREATE TABLE play_nodes (
  node_id TEXT PRIMARY KEY,
  up_ms INTEGER NOT NULL,
  beat_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
`;
