/**
 * Rank counts of leaderboards, so that a position or a deep page is found without counting every row before it. See
 * rank-marks.ts.
 */
export const countedRanks = `
-- Rows of a board whose score_id ends with 00 (level 1) or 0000 (level 2), and before the first one of each level
-- a row at -Infinity. count: the rows of the board from this one up to the next mark of its level.
CREATE TABLE board_marks (
  board_id INTEGER NOT NULL,
  level INTEGER NOT NULL,
  sort_score REAL NOT NULL,
  reached_at INTEGER NOT NULL,
  score_id TEXT NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (board_id, level, sort_score, reached_at, score_id)
) STRICT, WITHOUT ROWID;

CREATE TEMP TABLE ranked AS
  SELECT board_id, sort_score, reached_at, score_id,
    row_number() OVER (PARTITION BY board_id ORDER BY sort_score, reached_at, score_id) AS place
  FROM board;
CREATE TEMP TABLE levels AS SELECT 1 AS level, '%00' AS pattern UNION ALL SELECT 2, '%0000';

INSERT INTO board_marks (board_id, level, sort_score, reached_at, score_id, count)
  SELECT board_id, level, sort_score, reached_at, score_id, next - place FROM (
    SELECT *, lead(place) OVER (
      PARTITION BY board_id, level ORDER BY sort_score, reached_at, score_id) AS next
    FROM (
      SELECT board_id, level, sort_score, reached_at, score_id, place
        FROM ranked JOIN levels ON score_id LIKE pattern
      UNION ALL SELECT id, level, -9e999, 0, '', 1 FROM boards JOIN levels
      UNION ALL SELECT id, level, 9e999, 0, '', 1 + (SELECT count(*) FROM board WHERE board_id = boards.id)
        FROM boards JOIN levels)
  ) WHERE sort_score < 9e999;

-- Counted up with every change of the board, so that a page read earlier can be known to hold still.
ALTER TABLE boards ADD COLUMN version INTEGER NOT NULL DEFAULT 0;

DROP TABLE ranked;
DROP TABLE levels;
`;
