/** Rules being executed for the players of a season that has ended. */
export const prizeRuns = `
CREATE TABLE prize_runs (
  id TEXT PRIMARY KEY,
  game_id TEXT NOT NULL,
  leaderboard TEXT NOT NULL,
  season INTEGER NOT NULL,
  season_id TEXT NOT NULL,
  rule TEXT NOT NULL,
  place INTEGER NOT NULL,          -- whose player is next
  sort_score REAL,                 -- of the entry before that; NULL: none was looked at
  reached_at INTEGER,
  score_id TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX prize_runs_by_leaderboard ON prize_runs(game_id, leaderboard, id);
CREATE INDEX prize_runs_by_season ON prize_runs(season_id, id);

-- Seasons whose prizes may have been given after the backup was made from which this was restored.
CREATE TABLE prize_holds (
  season_id TEXT PRIMARY KEY,
  game_id TEXT NOT NULL
) STRICT, WITHOUT ROWID;
`;
