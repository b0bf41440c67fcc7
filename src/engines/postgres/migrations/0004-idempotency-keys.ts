/** Writes with an idempotency key: see `runOnceOf`. */
export const idempotencyKeys = `
CREATE TABLE idempotency_keys (
  game_id uuid NOT NULL,
  key_hash text COLLATE "C" NOT NULL,
  wallet text COLLATE "C" NOT NULL,
  fingerprint text COLLATE "C" NOT NULL,
  result text COLLATE "C" NOT NULL,
  at bigint NOT NULL,
  PRIMARY KEY (game_id, key_hash)
);
CREATE INDEX idempotency_keys_by_age ON idempotency_keys (at);
CREATE INDEX idempotency_keys_by_wallet ON idempotency_keys (wallet);
`;
