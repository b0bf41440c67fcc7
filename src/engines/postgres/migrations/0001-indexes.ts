/** The indexes of the declared tables in the initial schema. */
export const initialIndexes = `CREATE UNIQUE INDEX streams_by_name ON streams (name);
CREATE INDEX streams_by_trim ON streams (trim_at);
CREATE INDEX streams_by_wallet ON streams (wallet) WHERE wallet IS NOT NULL;
CREATE UNIQUE INDEX events_by_position ON events (lane, position);
CREATE UNIQUE INDEX games_by_slug ON games (slug);
CREATE INDEX game_secrets_by_game ON game_secrets (game_id, hash);
CREATE UNIQUE INDEX players_by_user_id ON players (user_id);
CREATE INDEX bans_by_game ON bans (game_id, wallet);
CREATE INDEX sign_ins_by_expiry ON sign_ins (expires_at, id);
CREATE INDEX channel_sessions_by_wallet ON channel_sessions (wallet, opened_at, id);
CREATE INDEX channel_sessions_by_game ON channel_sessions (game_id, opened_at, id);
CREATE INDEX channel_sessions_live ON channel_sessions (wallet, expires_at, id) WHERE ended_at IS NULL;
CREATE UNIQUE INDEX scores_by_nonce ON scores (stream_id, nonce) WHERE nonce IS NOT NULL;
CREATE INDEX scores_by_update ON scores (stream_id, revision);
CREATE INDEX board_by_rank ON board (board_id, sort_score, reached_at, score_id);
CREATE UNIQUE INDEX states_by_id ON states (id);
CREATE INDEX states_by_update ON states (game_id, wallet, revision);
CREATE INDEX play_sessions_by_player ON play_sessions (game_id, wallet, started_at, id);
CREATE INDEX play_sessions_by_game ON play_sessions (game_id, started_at, id);
CREATE INDEX activities_by_game ON activities (game_id, timestamp, id, type);
CREATE INDEX activities_by_time ON activities (timestamp, id, type);
CREATE INDEX activities_by_wallet ON activities (wallet, timestamp, id, type);
CREATE INDEX notifications_undelivered ON notifications (wallet, event_seq) WHERE delivered_at IS NULL;
CREATE INDEX notifications_by_delivery ON notifications (delivered_at) WHERE delivered_at IS NOT NULL;
-- A set of 256 players is more than an ordered index takes.
CREATE INDEX message_channels_by_participants ON message_channels USING hash (participants_key);
CREATE INDEX message_channels_by_update ON message_channels (game_id, updated_at, id);
CREATE INDEX participants_by_channel ON participants (channel_id, position);
CREATE INDEX participants_by_wallet ON participants (wallet, game_id, channel_id);
CREATE INDEX participants_by_adder ON participants (added_by, wallet, game_id);
CREATE INDEX left_channels_by_channel ON left_channels (channel_id, left_seq);
CREATE INDEX declined_adders_by_adder ON declined_adders (adder);
CREATE INDEX messages_by_channel ON messages (channel_id, created_at, id);
CREATE INDEX messages_by_sender ON messages (sender);
CREATE INDEX messages_by_seq ON messages (channel_id, (CAST(substring(event_seqs FROM '[0-9]+') AS bigint)));
CREATE UNIQUE INDEX rule_triggers_by_nonce ON rule_triggers (game_id, wallet, nonce) WHERE nonce IS NOT NULL;
CREATE INDEX rule_executions_by_wallet ON rule_executions (wallet);
CREATE INDEX actions_open ON actions (kind, lane, due_at, id) WHERE ended_at IS NULL;
CREATE INDEX actions_by_lane ON actions (lane, created_at, id);
CREATE INDEX actions_by_state ON actions (state, updated_at);
CREATE INDEX actions_by_game ON actions (game_id, created_at);
CREATE INDEX actions_by_wallet ON actions (wallet);
CREATE INDEX spending_by_day ON spending (day, action_id);
CREATE INDEX spending_by_wallet ON spending (wallet);
CREATE INDEX spent_by_day ON spent (day, game_id, wallet, token);
CREATE INDEX grants_by_action ON grants (action_id);
CREATE INDEX transactions_open ON transactions (settled, lane, nonce, signed_at);
CREATE INDEX transactions_by_signing ON transactions (settled, signed_at);
CREATE INDEX transactions_by_action ON transactions (action_id);
CREATE INDEX webhooks_by_game ON webhooks (game_id, removed, created_at, id);
-- One for each node that writes: how many batches and events it has committed, and how often it changed what is remembered.
CREATE TABLE write_lanes (
  lane integer PRIMARY KEY,
  owner uuid,
  n bigint NOT NULL DEFAULT 0,
  position bigint NOT NULL DEFAULT 0,
  version bigint NOT NULL DEFAULT 0,
  seen_at timestamptz NOT NULL DEFAULT clock_timestamp()
) WITH (fillfactor = 20);
CREATE TABLE history (epoch text NOT NULL, installation text NOT NULL);
-- Counted up when a board is ranked anew.
CREATE TABLE ranking (generation bigint NOT NULL);
-- The games that have a leaderboard.
CREATE TABLE boards (id uuid PRIMARY KEY, game_id uuid NOT NULL);
CREATE TABLE board_versions (
  board_id uuid NOT NULL,
  lane integer NOT NULL,
  version bigint NOT NULL,
  PRIMARY KEY (board_id, lane)
) WITH (fillfactor = 20);
-- What moved along the boards and is not yet counted.
CREATE TABLE board_moves (
  board_id uuid NOT NULL,
  lane integer NOT NULL,
  n bigint NOT NULL,
  i integer NOT NULL,
  old_score double precision,
  old_at bigint,
  old_id uuid,
  new_score double precision,
  new_at bigint,
  new_id uuid,
  PRIMARY KEY (board_id, lane, n, i)
);
`;
