/** How long players have played each game, and what they have open. */
export const playtime = `
CREATE TABLE playtime (
  wallet text COLLATE "C" NOT NULL,
  game_id uuid NOT NULL,
  ms bigint NOT NULL,
  sessions bigint NOT NULL,
  first_at bigint NOT NULL,
  started_at bigint NOT NULL,      -- of the latest session
  last_at bigint NOT NULL,
  PRIMARY KEY (wallet, game_id)
);
CREATE INDEX playtime_by_game ON playtime (game_id, wallet);

CREATE TABLE open_plays (
  wallet text COLLATE "C" PRIMARY KEY,
  game_id uuid NOT NULL,
  node_id uuid NOT NULL,
  started_at bigint NOT NULL,
  started_up bigint NOT NULL       -- by the node's own clock
);
CREATE INDEX open_plays_by_node ON open_plays (node_id, wallet);
CREATE INDEX open_plays_by_game ON open_plays (game_id, wallet);

CREATE TABLE play_nodes (
  node_id uuid PRIMARY KEY,
  up_ms bigint NOT NULL,
  beat_at bigint NOT NULL
);
`;
