/** What the page of a game shows, and players' favorite games. */
export const library = `
CREATE TABLE game_details (
  game_id TEXT PRIMARY KEY,
  description TEXT NOT NULL,
  tags TEXT NOT NULL,
  media TEXT NOT NULL,
  age_rating TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE game_favorites (
  wallet TEXT NOT NULL,
  game_id TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (wallet, game_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX game_favorites_by_time ON game_favorites(wallet, created_at, game_id);
CREATE INDEX game_favorites_by_game ON game_favorites(game_id, wallet);
`;
