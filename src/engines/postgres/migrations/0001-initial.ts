import { initialIndexes } from './0001-indexes.ts';

/** The initial schema: the declared tables, and the engine's own. */
export const initial = `
CREATE TABLE streams (
  name text COLLATE "C" NOT NULL,
  wallet text COLLATE "C",
  seq bigint NOT NULL,
  first_seq bigint NOT NULL,
  trim_at bigint NOT NULL,
  id uuid NOT NULL,
  last_lane integer,
  last_position bigint,
  PRIMARY KEY (id)
) WITH (fillfactor = 70);
CREATE TABLE games (
  id uuid NOT NULL,
  slug text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  kind text COLLATE "C" NOT NULL,
  url text COLLATE "C" NOT NULL,
  allowed_origins text COLLATE "C" NOT NULL,
  policies text COLLATE "C" NOT NULL,
  rules text COLLATE "C" NOT NULL,
  rules_version bigint NOT NULL,
  created_at bigint NOT NULL,
  PRIMARY KEY (id)
);
CREATE TABLE game_secrets (
  hash text COLLATE "C" NOT NULL,
  game_id uuid NOT NULL,
  sealed_md5 text COLLATE "C" NOT NULL,
  sealed_secret text COLLATE "C" NOT NULL,
  created_at bigint NOT NULL,
  expires_at bigint,
  PRIMARY KEY (hash)
);
CREATE TABLE request_nonces (
  game_id uuid NOT NULL,
  nonce text COLLATE "C" NOT NULL,
  seen_at bigint NOT NULL,
  PRIMARY KEY (game_id, nonce)
);
CREATE TABLE players (
  wallet text COLLATE "C" NOT NULL,
  user_id uuid NOT NULL,
  username text COLLATE "C" NOT NULL,
  avatar text COLLATE "C" NOT NULL,
  created_at bigint NOT NULL,
  PRIMARY KEY (wallet)
);
CREATE TABLE bans (
  wallet text COLLATE "C" NOT NULL,
  game_id text COLLATE "C" NOT NULL,
  reason text COLLATE "C" NOT NULL,
  at bigint NOT NULL,
  PRIMARY KEY (wallet, game_id)
);
CREATE TABLE sign_ins (
  id uuid NOT NULL,
  game_id uuid NOT NULL,
  wallet text COLLATE "C" NOT NULL,
  sign_request text COLLATE "C" NOT NULL,
  attempts bigint NOT NULL,
  expires_at bigint NOT NULL,
  used_at bigint,
  PRIMARY KEY (id)
);
CREATE TABLE channel_sessions (
  id uuid NOT NULL,
  game_id uuid NOT NULL,
  wallet text COLLATE "C" NOT NULL,
  opened_at bigint NOT NULL,
  expires_at bigint NOT NULL,
  ended_at bigint,
  end_reason text COLLATE "C",
  PRIMARY KEY (id)
);
CREATE TABLE told_present (
  session_id uuid NOT NULL,
  PRIMARY KEY (session_id)
);
CREATE TABLE server_keys (
  name text COLLATE "C" NOT NULL,
  sealed text COLLATE "C" NOT NULL,
  changed_at bigint NOT NULL,
  PRIMARY KEY (name)
);
CREATE TABLE scores (
  id uuid NOT NULL,
  stream_id uuid NOT NULL,
  revision bigint NOT NULL,
  nonce text COLLATE "C",
  score double precision NOT NULL,
  reached_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  PRIMARY KEY (id)
);
CREATE TABLE board (
  stream_id uuid NOT NULL,
  board_id uuid NOT NULL,
  score_id uuid NOT NULL,
  sort_score double precision NOT NULL,
  reached_at bigint NOT NULL,
  PRIMARY KEY (stream_id)
) WITH (fillfactor = 80);
CREATE TABLE states (
  id uuid NOT NULL,
  game_id uuid NOT NULL,
  wallet text COLLATE "C" NOT NULL,
  label text COLLATE "C" NOT NULL,
  ipfs_hash text COLLATE "C" NOT NULL,
  json text COLLATE "C" NOT NULL,
  updated_at bigint NOT NULL,
  revision bigint NOT NULL,
  PRIMARY KEY (game_id, wallet, label)
) WITH (fillfactor = 85);
CREATE TABLE play_sessions (
  id uuid NOT NULL,
  game_id uuid NOT NULL,
  wallet text COLLATE "C" NOT NULL,
  state text COLLATE "C" NOT NULL,
  started_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  end_time bigint,
  PRIMARY KEY (id)
);
CREATE TABLE activities (
  id uuid NOT NULL,
  game_id uuid NOT NULL,
  wallet text COLLATE "C" NOT NULL,
  type text COLLATE "C" NOT NULL,
  label text COLLATE "C" NOT NULL,
  event_id text COLLATE "C" NOT NULL,
  timestamp bigint NOT NULL,
  PRIMARY KEY (id)
);
CREATE TABLE notifications (
  id uuid NOT NULL,
  game_id uuid NOT NULL,
  wallet text COLLATE "C" NOT NULL,
  message text COLLATE "C" NOT NULL,
  type text COLLATE "C" NOT NULL,
  event_seq bigint NOT NULL,
  created_at bigint NOT NULL,
  delivered_at bigint,
  PRIMARY KEY (id)
);
CREATE TABLE message_channels (
  id uuid NOT NULL,
  game_id uuid NOT NULL,
  participants_key text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  chat_picture text COLLATE "C" NOT NULL,
  message_count bigint NOT NULL,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  PRIMARY KEY (id)
) WITH (fillfactor = 70);
CREATE TABLE participants (
  channel_id uuid NOT NULL,
  wallet text COLLATE "C" NOT NULL,
  game_id uuid NOT NULL,
  user_group bigint NOT NULL,
  permissions text COLLATE "C" NOT NULL,
  position bigint NOT NULL,
  joined_seq bigint NOT NULL,
  added_by text COLLATE "C" NOT NULL,
  PRIMARY KEY (channel_id, wallet)
);
CREATE TABLE left_channels (
  wallet text COLLATE "C" NOT NULL,
  channel_id uuid NOT NULL,
  joined_seq bigint NOT NULL,
  left_seq bigint NOT NULL,
  PRIMARY KEY (wallet, channel_id, joined_seq)
);
CREATE TABLE declined_adders (
  wallet text COLLATE "C" NOT NULL,
  game_id uuid NOT NULL,
  adder text COLLATE "C" NOT NULL,
  PRIMARY KEY (wallet, game_id, adder)
);
CREATE TABLE messages (
  id uuid NOT NULL,
  channel_id uuid NOT NULL,
  sender text COLLATE "C" NOT NULL,
  content text COLLATE "C" NOT NULL,
  event_seqs text COLLATE "C" NOT NULL,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  PRIMARY KEY (id)
);
CREATE TABLE storage_use (
  game_id uuid NOT NULL,
  wallet text COLLATE "C" NOT NULL,
  bytes bigint NOT NULL,
  PRIMARY KEY (game_id, wallet)
) WITH (fillfactor = 70);
CREATE TABLE rule_triggers (
  id uuid NOT NULL,
  game_id uuid NOT NULL,
  wallet text COLLATE "C" NOT NULL,
  nonce text COLLATE "C",
  trigger text COLLATE "C" NOT NULL,
  value double precision,
  actions text COLLATE "C" NOT NULL,
  at bigint NOT NULL,
  PRIMARY KEY (id)
);
CREATE TABLE rule_executions (
  game_id uuid NOT NULL,
  wallet text COLLATE "C" NOT NULL,
  rule_key text COLLATE "C" NOT NULL,
  n bigint NOT NULL,
  at bigint NOT NULL,
  PRIMARY KEY (game_id, wallet, rule_key, n)
);
CREATE TABLE actions (
  id uuid NOT NULL,
  kind text COLLATE "C" NOT NULL,
  lane text COLLATE "C" NOT NULL,
  type text COLLATE "C" NOT NULL,
  game_id uuid NOT NULL,
  wallet text COLLATE "C" NOT NULL,
  trigger_id text COLLATE "C" NOT NULL,
  payload text COLLATE "C" NOT NULL,
  state text COLLATE "C" NOT NULL,
  attempts bigint NOT NULL,
  due_at bigint NOT NULL,
  give_up_at bigint NOT NULL,
  claimed_by text COLLATE "C",
  claimed_until bigint NOT NULL,
  error text COLLATE "C",
  transaction_hash text COLLATE "C",
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  ended_at bigint,
  PRIMARY KEY (id)
);
CREATE TABLE spending (
  action_id uuid NOT NULL,
  game_id uuid NOT NULL,
  wallet text COLLATE "C" NOT NULL,
  token text COLLATE "C" NOT NULL,
  amount text COLLATE "C" NOT NULL,
  day bigint NOT NULL,
  given_back bigint NOT NULL,
  PRIMARY KEY (action_id)
);
CREATE TABLE spent (
  game_id uuid NOT NULL,
  wallet text COLLATE "C" NOT NULL,
  token text COLLATE "C" NOT NULL,
  day bigint NOT NULL,
  amount text COLLATE "C" NOT NULL,
  PRIMARY KEY (game_id, wallet, token, day)
);
CREATE TABLE grants (
  game_id uuid NOT NULL,
  wallet text COLLATE "C" NOT NULL,
  achievement text COLLATE "C" NOT NULL,
  action_id text COLLATE "C" NOT NULL,
  granted bigint NOT NULL,
  at bigint NOT NULL,
  PRIMARY KEY (game_id, wallet, achievement)
);
CREATE TABLE lanes (
  lane text COLLATE "C" NOT NULL,
  node text COLLATE "C" NOT NULL,
  leased_until bigint NOT NULL,
  next_nonce bigint,
  spent_day bigint NOT NULL,
  spent_wei text COLLATE "C" NOT NULL,
  PRIMARY KEY (lane)
);
CREATE TABLE transactions (
  hash text COLLATE "C" NOT NULL,
  lane text COLLATE "C" NOT NULL,
  nonce bigint NOT NULL,
  action_id text COLLATE "C" NOT NULL,
  raw text COLLATE "C" NOT NULL,
  max_fee text COLLATE "C" NOT NULL,
  priority_fee text COLLATE "C" NOT NULL,
  signed_at bigint NOT NULL,
  settled bigint NOT NULL,
  PRIMARY KEY (hash)
);
CREATE TABLE webhooks (
  id uuid NOT NULL,
  game_id uuid NOT NULL,
  url text COLLATE "C" NOT NULL,
  filter text COLLATE "C" NOT NULL,
  enabled bigint NOT NULL,
  disabled_reason text COLLATE "C",
  removed bigint NOT NULL,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  PRIMARY KEY (id)
);
CREATE TABLE webhook_secrets (
  webhook_id uuid NOT NULL,
  position bigint NOT NULL,
  sealed text COLLATE "C" NOT NULL,
  created_at bigint NOT NULL,
  expires_at bigint,
  PRIMARY KEY (webhook_id, position)
);
CREATE TABLE audit_log (
  id uuid NOT NULL,
  at bigint NOT NULL,
  actor text COLLATE "C" NOT NULL,
  operation text COLLATE "C" NOT NULL,
  input text COLLATE "C" NOT NULL,
  outcome text COLLATE "C",
  PRIMARY KEY (id)
);
CREATE TABLE events (
  stream_id uuid NOT NULL,
  seq bigint NOT NULL,
  name text COLLATE "C" NOT NULL,
  record text COLLATE "C" NOT NULL,
  at bigint NOT NULL,
  lane integer NOT NULL,
  position bigint NOT NULL,
  after_lane integer,
  after_position bigint,
  PRIMARY KEY (stream_id, seq)
);
${initialIndexes}-- How many rows of a board lie from this key up to the next.
CREATE TABLE board_counts (
  board_id uuid NOT NULL,
  sort_score double precision NOT NULL,
  reached_at bigint NOT NULL,
  score_id uuid NOT NULL,
  count integer NOT NULL,
  PRIMARY KEY (board_id, sort_score, reached_at, score_id)
) WITH (fillfactor = 60);
INSERT INTO history SELECT substr(md5(gen_random_uuid()::text), 1, 16), substr(md5(gen_random_uuid()::text), 1, 16);
INSERT INTO ranking VALUES (0);
`;
