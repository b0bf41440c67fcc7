/**
 * Scores and leaderboards with integer keys. A commit writes every modified page in full, and in each index of scores
 * the pages differ per player: so there are as few indexes as possible, with entries as small as possible. A player in
 * a game is identified by the id of its stream, `player:<gameId>:<wallet>`.
 */
export const leanScores = `
ALTER TABLE scores RENAME TO scores_before;
ALTER TABLE board RENAME TO board_before;
DROP INDEX scores_by_update;
DROP INDEX scores_by_score;
DROP INDEX board_by_rank;

INSERT OR IGNORE INTO streams (name, wallet, seq, first_seq, trim_at)
  SELECT DISTINCT 'player:' || game_id || ':' || wallet, wallet, 0, 1, 0 FROM scores_before;

-- nonce: NULL when the server made it; then it is the id, and needs no index of its own.
-- reached_at: when the record came to hold this score; unlike updated_at, not moved by setting it again.
-- revision: the seq of its last event in the stream, which orders the player's records by their update.
CREATE TABLE scores (
  key INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  stream_id INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  nonce TEXT,
  score REAL NOT NULL,
  reached_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
INSERT INTO scores (id, stream_id, revision, nonce, score, reached_at, updated_at)
  SELECT b.id, s.id, b.revision, b.nonce, b.score, b.reached_at, b.updated_at
  FROM scores_before AS b JOIN streams AS s ON s.name = 'player:' || b.game_id || ':' || b.wallet
  ORDER BY b.id;
CREATE INDEX scores_by_update ON scores(stream_id, revision);
CREATE UNIQUE INDEX scores_by_nonce ON scores(stream_id, nonce) WHERE nonce IS NOT NULL;

-- A player's records in the order of their scores, kept only for players with so many that they cannot be
-- looked through (see scores.ts).
CREATE TABLE score_order (
  stream_id INTEGER NOT NULL,
  score REAL NOT NULL,
  reached_at INTEGER NOT NULL,
  id TEXT NOT NULL,
  PRIMARY KEY (stream_id, score, reached_at, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE boards (
  id INTEGER PRIMARY KEY,
  game_id TEXT NOT NULL UNIQUE
) STRICT;
INSERT INTO boards (game_id) SELECT id FROM games;

-- The record that counts for each player. sort_score ascends from the best: it is -score where more is better.
CREATE TABLE board (
  stream_id INTEGER PRIMARY KEY,
  board_id INTEGER NOT NULL,
  score_id TEXT NOT NULL,
  sort_score REAL NOT NULL,
  reached_at INTEGER NOT NULL
) STRICT;
INSERT INTO board (stream_id, board_id, score_id, sort_score, reached_at)
  SELECT s.id, g.id, b.score_id, b.sort_score, b.reached_at
  FROM board_before AS b JOIN boards AS g ON g.game_id = b.game_id
  JOIN streams AS s ON s.name = 'player:' || b.game_id || ':' || b.wallet;
CREATE INDEX board_by_rank ON board(board_id, sort_score, reached_at, score_id);

-- One row: counted up with every change of what processes remember (games, secrets, sessions, profiles,
-- participants, ids of streams).
CREATE TABLE remembered (version INTEGER NOT NULL) STRICT;
INSERT INTO remembered (version) VALUES (0);

DROP TABLE scores_before;
DROP TABLE board_before;
`;
