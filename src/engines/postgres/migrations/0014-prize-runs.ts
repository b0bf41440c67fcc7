/** Prize runs: rules that run for the players of an ended season. */
export const prizeRuns = `
CREATE TABLE prize_runs (
  id uuid NOT NULL,
  game_id uuid NOT NULL,
  leaderboard text COLLATE "C" NOT NULL,
  season bigint NOT NULL,
  season_id uuid NOT NULL,
  rule text COLLATE "C" NOT NULL,
  place bigint NOT NULL,
  sort_score double precision,
  reached_at bigint,
  score_id uuid,
  PRIMARY KEY (id)
);
CREATE INDEX prize_runs_by_leaderboard ON prize_runs (game_id, leaderboard, id);
CREATE INDEX prize_runs_by_season ON prize_runs (season_id, id);
CREATE TABLE prize_holds (
  season_id uuid NOT NULL,
  game_id uuid NOT NULL,
  PRIMARY KEY (season_id)
);
`;
