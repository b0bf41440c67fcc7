/**
 * Games whose notifications a player has turned off. The references delete rows of what an earlier program erases, which
 * does not know the table.
 */
export const mutedGames = `
CREATE TABLE muted_games (
  wallet TEXT NOT NULL REFERENCES players(wallet) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
  game_id TEXT NOT NULL REFERENCES games(id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
  muted_at INTEGER NOT NULL,
  PRIMARY KEY (wallet, game_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX muted_games_by_game ON muted_games(game_id, wallet);
`;
