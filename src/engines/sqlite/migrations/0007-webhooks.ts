/**
 * Webhooks. Their deliveries are actions of the kind 'webhook', whose lane is the webhook. Times are Unix
 * milliseconds.
 */
export const webhooks = `
-- removed: nobody sees it any more; its deliveries are deleted a few at a time, and then it is.
CREATE TABLE webhooks (
  id TEXT PRIMARY KEY,
  game_id TEXT NOT NULL REFERENCES games(id),
  url TEXT NOT NULL,
  filter TEXT NOT NULL,            -- all, event-callbacks, rules-engine-all-callbacks, rules-engine-errors
  enabled INTEGER NOT NULL,
  disabled_reason TEXT,            -- why it is not enabled, when nobody disabled it
  removed INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX webhooks_by_game ON webhooks(game_id);

-- What deliveries are signed with: all that have not expired, so that a receiver can change from one to the next.
CREATE TABLE webhook_secrets (
  webhook_id TEXT NOT NULL REFERENCES webhooks(id) ON DELETE CASCADE,
  sealed TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER               -- NULL: never
) STRICT;
CREATE INDEX webhook_secrets_by_webhook ON webhook_secrets(webhook_id);

-- When it is no longer tried; 0: only its runner knows.
ALTER TABLE actions ADD COLUMN give_up_at INTEGER NOT NULL DEFAULT 0;
CREATE INDEX actions_by_webhook ON actions(lane, created_at) WHERE kind = 'webhook';

-- What rules have queued for webhooks before there were any.
UPDATE actions SET state = 'failed', error = 'the game had no webhook'
WHERE kind = 'webhook' AND state IN ('queued', 'submitted');
`;
