/** Players who may not post for a time, in a game or in one of its channels. */
export const playerMutes = `
CREATE TABLE player_mutes (
  wallet text COLLATE "C" NOT NULL,
  game_id uuid NOT NULL,
  channel_id text COLLATE "C" NOT NULL,
  muted_by text COLLATE "C" NOT NULL,
  until bigint NOT NULL,
  reason text COLLATE "C" NOT NULL,
  created_at bigint NOT NULL,
  PRIMARY KEY (wallet, game_id, channel_id, muted_by)
);
CREATE INDEX player_mutes_by_end ON player_mutes (until, wallet, game_id, channel_id, muted_by);
`;
