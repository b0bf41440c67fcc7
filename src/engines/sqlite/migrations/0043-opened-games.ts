/**
 * Which players have opened which games themselves: from now on, and as far as sessions are still stored. The references
 * delete rows of what an earlier program erases, which does not know the table.
 */
export const openedGames = `
CREATE TABLE opened_games (
  wallet TEXT NOT NULL REFERENCES players(wallet) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
  game_id TEXT NOT NULL REFERENCES games(id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
  opened_at INTEGER NOT NULL,
  PRIMARY KEY (wallet, game_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX opened_games_by_game ON opened_games(game_id, wallet);
INSERT INTO opened_games (wallet, game_id, opened_at)
  SELECT s.wallet, s.game_id, min(s.opened_at)
    FROM channel_sessions AS s JOIN players AS p ON p.wallet = s.wallet JOIN games AS g ON g.id = s.game_id
    WHERE s.opened_by <> 'game-server' GROUP BY s.wallet, s.game_id;
`;
