/** Named leaderboards with seasons. `boards` has a row for each season, and for each label used in one. */
export const leaderboards = `
CREATE TABLE leaderboards (
  game_id uuid NOT NULL,
  name text COLLATE "C" NOT NULL,
  keep text COLLATE "C" NOT NULL,
  sort_order text COLLATE "C" NOT NULL,
  entries text COLLATE "C" NOT NULL,
  is_public bigint NOT NULL,
  labels text COLLATE "C" NOT NULL,
  season_id uuid NOT NULL,
  season bigint NOT NULL,
  season_started_at bigint NOT NULL,
  schedule text COLLATE "C",
  time_zone text COLLATE "C" NOT NULL,
  next_end_at bigint NOT NULL,
  keep_seasons bigint,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  PRIMARY KEY (game_id, name)
);
CREATE INDEX leaderboards_by_end ON leaderboards (next_end_at, game_id, name);
CREATE TABLE leaderboard_seasons (
  game_id uuid NOT NULL,
  leaderboard text COLLATE "C" NOT NULL,
  season bigint NOT NULL,
  id uuid NOT NULL,
  started_at bigint NOT NULL,
  ended_at bigint NOT NULL,
  PRIMARY KEY (game_id, leaderboard, season)
);
CREATE UNIQUE INDEX leaderboard_seasons_by_id ON leaderboard_seasons (id);
CREATE TABLE retired_seasons (
  id uuid NOT NULL,
  game_id uuid NOT NULL,
  PRIMARY KEY (id)
);
CREATE TABLE leaderboard_entries (
  board_id uuid NOT NULL,
  stream_id uuid NOT NULL,
  entry text COLLATE "C" NOT NULL,
  score_id uuid NOT NULL,
  sort_score double precision NOT NULL,
  reached_at bigint NOT NULL,
  records bigint NOT NULL,
  nonce text COLLATE "C",
  updated_at bigint NOT NULL,
  label text COLLATE "C",
  metadata text COLLATE "C",
  PRIMARY KEY (board_id, stream_id, entry)
) WITH (fillfactor = 80);
CREATE INDEX leaderboard_entries_by_rank ON leaderboard_entries (board_id, sort_score, reached_at, score_id);
CREATE TABLE leaderboard_records (
  id uuid NOT NULL,
  board_id uuid NOT NULL,
  stream_id uuid NOT NULL,
  revision bigint NOT NULL,
  nonce text COLLATE "C",
  score double precision NOT NULL,
  sort_score double precision NOT NULL,
  reached_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  session_id text COLLATE "C",
  label text COLLATE "C",
  metadata text COLLATE "C",
  PRIMARY KEY (id)
);
CREATE UNIQUE INDEX leaderboard_records_by_nonce ON leaderboard_records (board_id, stream_id, nonce) WHERE nonce IS NOT NULL;
CREATE INDEX leaderboard_records_by_update ON leaderboard_records (stream_id, board_id, revision);
CREATE INDEX leaderboard_records_by_score ON leaderboard_records (board_id, stream_id, sort_score, reached_at, id);
-- Which table has the rows of a board.
ALTER TABLE boards ADD COLUMN ranked text COLLATE "C" NOT NULL DEFAULT 'board';
`;
