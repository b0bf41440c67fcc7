/** Named leaderboards with seasons. `boards` has a row for each season, and for each label used in one. */
export const leaderboards = `
CREATE TABLE leaderboards (
  game_id TEXT NOT NULL,
  name TEXT NOT NULL,
  keep TEXT NOT NULL,
  sort_order TEXT NOT NULL,
  entries TEXT NOT NULL,
  is_public INTEGER NOT NULL,
  labels TEXT NOT NULL,
  season_id TEXT NOT NULL,
  season INTEGER NOT NULL,
  season_started_at INTEGER NOT NULL,
  schedule TEXT,
  time_zone TEXT NOT NULL,
  next_end_at INTEGER NOT NULL,     -- later than any time: no schedule
  keep_seasons INTEGER,             -- NULL: all
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (game_id, name)
) STRICT, WITHOUT ROWID;
CREATE INDEX leaderboards_by_end ON leaderboards(next_end_at, game_id, name);

-- Those that are over; the one under way is in leaderboards.
CREATE TABLE leaderboard_seasons (
  game_id TEXT NOT NULL,
  leaderboard TEXT NOT NULL,
  season INTEGER NOT NULL,
  id TEXT NOT NULL,
  started_at INTEGER NOT NULL,
  ended_at INTEGER NOT NULL,
  PRIMARY KEY (game_id, leaderboard, season)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX leaderboard_seasons_by_id ON leaderboard_seasons(id);

-- Seasons nobody sees any more, whose rows are deleted a few at a time.
CREATE TABLE retired_seasons (
  id TEXT PRIMARY KEY,
  game_id TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- What counts: one row a player (entry is empty) or one a record. sort_score ascends from the best.
CREATE TABLE leaderboard_entries (
  board_id INTEGER NOT NULL,
  stream_id INTEGER NOT NULL,
  entry TEXT NOT NULL,
  score_id TEXT NOT NULL,
  sort_score REAL NOT NULL,
  reached_at INTEGER NOT NULL,
  records INTEGER NOT NULL,
  nonce TEXT,
  updated_at INTEGER NOT NULL,
  label TEXT,
  metadata TEXT,
  PRIMARY KEY (board_id, stream_id, entry)
) STRICT;
CREATE INDEX leaderboard_entries_by_rank ON leaderboard_entries(board_id, sort_score, reached_at, score_id);

CREATE TABLE leaderboard_records (
  id TEXT PRIMARY KEY,
  board_id INTEGER NOT NULL,
  stream_id INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  nonce TEXT,
  score REAL NOT NULL,
  sort_score REAL NOT NULL,
  reached_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  session_id TEXT,
  label TEXT,
  metadata TEXT
) STRICT;
CREATE UNIQUE INDEX leaderboard_records_by_nonce ON leaderboard_records(board_id, stream_id, nonce) WHERE nonce IS NOT NULL;
CREATE INDEX leaderboard_records_by_update ON leaderboard_records(stream_id, board_id, revision);
CREATE INDEX leaderboard_records_by_score ON leaderboard_records(board_id, stream_id, sort_score, reached_at, id);
`;
