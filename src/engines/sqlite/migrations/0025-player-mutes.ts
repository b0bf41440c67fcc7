/** Players temporarily barred from posting in a game or in one of its channels. */
export const playerMutes = `
CREATE TABLE player_mutes (
  wallet TEXT NOT NULL,
  game_id TEXT NOT NULL,
  channel_id TEXT NOT NULL,        -- '': in all of the game's channels
  muted_by TEXT NOT NULL,
  until INTEGER NOT NULL,
  reason TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (wallet, game_id, channel_id, muted_by)
) STRICT;
CREATE INDEX player_mutes_by_end ON player_mutes(until, wallet, game_id, channel_id, muted_by);
`;
