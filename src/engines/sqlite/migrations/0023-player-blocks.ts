/** Players blocked by other players in a game. */
export const playerBlocks = `
CREATE TABLE player_blocks (
  wallet TEXT NOT NULL,            -- who blocks
  game_id TEXT NOT NULL,
  blocked TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (wallet, game_id, blocked)
) STRICT, WITHOUT ROWID;
CREATE INDEX player_blocks_by_time ON player_blocks(wallet, game_id, created_at, blocked);
CREATE INDEX player_blocks_by_blocked ON player_blocks(blocked, game_id, wallet);
`;
