/**
 * Adds a level of marks between the existing two: rows whose score_id ends with 000 are now level 2, those with 0000
 * level 3. Deep pages are found in a fifth of the steps.
 */
export const middleMarks = `
UPDATE board_marks SET level = 3 WHERE level = 2;

INSERT INTO board_marks (board_id, level, sort_score, reached_at, score_id, count)
  SELECT board_id, 2, sort_score, reached_at, score_id,
    coalesce(lead(before) OVER (PARTITION BY board_id ORDER BY sort_score, reached_at, score_id), total) - before
  FROM (
    SELECT board_id, sort_score, reached_at, score_id,
      sum(count) OVER (PARTITION BY board_id ORDER BY sort_score, reached_at, score_id) - count AS before,
      sum(count) OVER (PARTITION BY board_id) AS total
    FROM board_marks WHERE level = 1)
  WHERE score_id LIKE '%000' OR sort_score = -9e999;
`;
