/**
 * Which players have opened which games themselves: from now on, and as far as sessions are still stored. The references
 * delete rows of what an earlier program erases, which does not know the table.
 */
export const openedGames = `
CREATE TABLE opened_games (
  wallet text COLLATE "C" NOT NULL,
  game_id uuid NOT NULL,
  opened_at bigint NOT NULL,
  PRIMARY KEY (wallet, game_id)
);
CREATE INDEX opened_games_by_game ON opened_games (game_id, wallet);
INSERT INTO opened_games (wallet, game_id, opened_at)
  SELECT s.wallet, s.game_id, min(s.opened_at)
    FROM channel_sessions AS s JOIN players AS p ON p.wallet = s.wallet JOIN games AS g ON g.id = s.game_id
    WHERE s.opened_by <> 'game-server' GROUP BY s.wallet, s.game_id;
-- Added to a filled table, they are checked at once rather than row by row.
ALTER TABLE opened_games
  ADD FOREIGN KEY (wallet) REFERENCES players(wallet) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
  ADD FOREIGN KEY (game_id) REFERENCES games(id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED;
`;
