/** Players who have blocked others in a game. */
export const playerBlocks = `
CREATE TABLE player_blocks (
  wallet text COLLATE "C" NOT NULL,
  game_id uuid NOT NULL,
  blocked text COLLATE "C" NOT NULL,
  created_at bigint NOT NULL,
  PRIMARY KEY (wallet, game_id, blocked)
);
CREATE INDEX player_blocks_by_time ON player_blocks (wallet, game_id, created_at, blocked);
CREATE INDEX player_blocks_by_blocked ON player_blocks (blocked, game_id, wallet);
`;
