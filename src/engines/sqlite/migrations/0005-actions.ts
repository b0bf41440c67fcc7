/**
 * The durable queue: pending and finished actions of rules and webhooks. An action is written in the transaction of its
 * cause. Times are Unix milliseconds.
 */
export const actions = `
-- kind: which runner carries it out. lane: actions of one lane are sent by one process at a time ('': no lane).
-- wallet: '' when it concerns no player. claimed_until: until then nobody but claimed_by may carry it out.
CREATE TABLE actions (
  id TEXT PRIMARY KEY,
  kind TEXT NOT NULL,
  lane TEXT NOT NULL,
  type TEXT NOT NULL,
  game_id TEXT NOT NULL,
  wallet TEXT NOT NULL,
  trigger_id TEXT NOT NULL,
  payload TEXT NOT NULL,           -- JSON, the runner's own
  state TEXT NOT NULL,             -- queued, submitted, confirmed, failed, cancelled
  attempts INTEGER NOT NULL,
  due_at INTEGER NOT NULL,
  claimed_by TEXT,
  claimed_until INTEGER NOT NULL,
  error TEXT,
  transaction_hash TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX actions_due ON actions(kind, lane, due_at) WHERE state IN ('queued', 'submitted');
CREATE INDEX actions_by_state ON actions(state, updated_at);
CREATE INDEX actions_by_game ON actions(game_id, created_at);
CREATE INDEX actions_by_wallet ON actions(wallet);

-- Who may use a signer's nonces on a chain, until when, and which one is next.
CREATE TABLE lanes (
  lane TEXT PRIMARY KEY,           -- <chain id>:<signer's address>
  node TEXT NOT NULL,
  leased_until INTEGER NOT NULL,
  next_nonce INTEGER               -- NULL: not yet asked of the chain
) STRICT, WITHOUT ROWID;

-- What was signed for each nonce, oldest first: the first, and those with higher fees that were to replace it.
-- settled: the nonce is used up on the chain; raw is then empty, because it is not sent again.
CREATE TABLE transactions (
  hash TEXT PRIMARY KEY,
  lane TEXT NOT NULL,
  nonce INTEGER NOT NULL,
  action_id TEXT NOT NULL,         -- '': it only fills a gap
  raw TEXT NOT NULL,
  max_fee TEXT NOT NULL,           -- wei per gas
  priority_fee TEXT NOT NULL,
  signed_at INTEGER NOT NULL,
  settled INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
CREATE INDEX transactions_open ON transactions(lane, nonce, signed_at) WHERE settled = 0;
CREATE INDEX transactions_by_action ON transactions(action_id);

-- What an action took of its game's limits (day: since 1970, UTC), to be given back when it was never sent.
CREATE TABLE spending (
  action_id TEXT PRIMARY KEY,
  game_id TEXT NOT NULL,
  wallet TEXT NOT NULL,
  token TEXT NOT NULL,             -- <chain id>:<contract>; '': it hands out no counted token
  amount TEXT NOT NULL,            -- whole number of the token's smallest unit
  day INTEGER NOT NULL,
  given_back INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
CREATE INDEX spending_by_day ON spending(day);
CREATE INDEX spending_by_wallet ON spending(wallet);

-- The sums of it. wallet '': of all players. token '': transactions are counted, not an amount.
CREATE TABLE spent (
  game_id TEXT NOT NULL,
  wallet TEXT NOT NULL,
  token TEXT NOT NULL,
  day INTEGER NOT NULL,
  amount TEXT NOT NULL,
  PRIMARY KEY (game_id, wallet, token, day)
) STRICT, WITHOUT ROWID;
CREATE INDEX spent_by_day ON spent(day);

-- Achievements a player has, or (granted 0) is about to have: at most one of each.
CREATE TABLE grants (
  game_id TEXT NOT NULL,
  wallet TEXT NOT NULL,
  achievement TEXT NOT NULL,
  action_id TEXT NOT NULL,         -- '': recorded here only
  granted INTEGER NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (game_id, wallet, achievement)
) STRICT, WITHOUT ROWID;
CREATE INDEX grants_by_action ON grants(action_id);
`;
