/** Results of writes with an idempotency key: see `runOnceOf`. */
export const idempotencyKeys = `
CREATE TABLE idempotency_keys (
  game_id TEXT NOT NULL,
  key_hash TEXT NOT NULL,
  wallet TEXT NOT NULL,       -- '' where it was about several players
  fingerprint TEXT NOT NULL,
  result TEXT NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (game_id, key_hash)
) STRICT;
CREATE INDEX idempotency_keys_by_age ON idempotency_keys(at);
CREATE INDEX idempotency_keys_by_wallet ON idempotency_keys(wallet);
`;
