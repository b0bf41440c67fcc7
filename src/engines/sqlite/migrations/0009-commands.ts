/** Schema changes required by commands: keys for rows without any, and indexes for the lists they read. */
export const commands = `
-- joined_seq and left_seq: whom a channel's events were for, also of those who have left since. Of those who left
-- before this was kept, only that they did is known.
CREATE TABLE left_channels_kept (
  wallet TEXT NOT NULL,
  channel_id TEXT NOT NULL REFERENCES message_channels(id),
  joined_seq INTEGER NOT NULL,
  left_seq INTEGER NOT NULL,
  PRIMARY KEY (wallet, channel_id, joined_seq)
) STRICT, WITHOUT ROWID;
INSERT INTO left_channels_kept (wallet, channel_id, joined_seq, left_seq)
  SELECT wallet, channel_id, 0, 0 FROM left_channels;
DROP TABLE left_channels;
ALTER TABLE left_channels_kept RENAME TO left_channels;
CREATE INDEX left_channels_by_channel ON left_channels(channel_id, left_seq);

-- n counts a rule's executions for a player, so that whether there were so many since a time is seen from one row.
CREATE TABLE rule_executions_numbered (
  game_id TEXT NOT NULL,
  wallet TEXT NOT NULL,
  rule_key TEXT NOT NULL,
  n INTEGER NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (game_id, wallet, rule_key, n)
) STRICT, WITHOUT ROWID;
INSERT INTO rule_executions_numbered (game_id, wallet, rule_key, n, at)
  SELECT game_id, wallet, rule_key,
    row_number() OVER (PARTITION BY game_id, wallet, rule_key ORDER BY at, rowid), at
  FROM rule_executions;
DROP TABLE rule_executions;
ALTER TABLE rule_executions_numbered RENAME TO rule_executions;
CREATE INDEX rule_executions_by_wallet ON rule_executions(wallet);

CREATE INDEX channel_sessions_live ON channel_sessions(wallet, expires_at, id) WHERE ended_at IS NULL;

-- ended_at: NULL while the action is queued or submitted.
ALTER TABLE actions ADD COLUMN ended_at INTEGER;
UPDATE actions SET ended_at = updated_at WHERE state NOT IN ('queued', 'submitted');
DROP INDEX actions_due;
DROP INDEX actions_by_webhook;
CREATE INDEX actions_open ON actions(kind, lane, due_at, id) WHERE ended_at IS NULL;
CREATE INDEX actions_by_lane ON actions(lane, created_at, id);

DROP INDEX transactions_open;
DROP INDEX transactions_settled;
CREATE INDEX transactions_open ON transactions(settled, lane, nonce, signed_at);
CREATE INDEX transactions_by_signing ON transactions(settled, signed_at);

DROP INDEX webhooks_by_game;
CREATE INDEX webhooks_by_game ON webhooks(game_id, removed, created_at, id);

-- position counts a webhook's secrets in the order they were made.
CREATE TABLE webhook_secrets_numbered (
  webhook_id TEXT NOT NULL REFERENCES webhooks(id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  sealed TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,              -- NULL: never
  PRIMARY KEY (webhook_id, position)
) STRICT, WITHOUT ROWID;
INSERT INTO webhook_secrets_numbered (webhook_id, position, sealed, created_at, expires_at)
  SELECT webhook_id, row_number() OVER (PARTITION BY webhook_id ORDER BY rowid), sealed, created_at, expires_at
  FROM webhook_secrets;
DROP TABLE webhook_secrets;
ALTER TABLE webhook_secrets_numbered RENAME TO webhook_secrets;
`;
