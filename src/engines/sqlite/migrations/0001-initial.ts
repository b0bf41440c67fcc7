/**
 * Times are Unix milliseconds. Wallets are lowercase. Tables accessed only by their full key are WITHOUT ROWID, which
 * saves a second B-tree. Ids are UUIDv7, so rows inserted together are stored together.
 */
export const initial = `
CREATE TABLE games (
  id TEXT PRIMARY KEY,
  slug TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  kind TEXT NOT NULL,
  url TEXT NOT NULL,
  allowed_origins TEXT NOT NULL,   -- JSON array
  policies TEXT NOT NULL,          -- JSON, see domain/game.ts
  rules TEXT NOT NULL DEFAULT '[]',
  rules_version INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE game_secrets (
  hash TEXT PRIMARY KEY,           -- hex SHA-256
  game_id TEXT NOT NULL REFERENCES games(id),
  sealed_md5 TEXT NOT NULL,
  sealed_secret TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER               -- NULL: not rotated out
) STRICT, WITHOUT ROWID;
CREATE INDEX game_secrets_by_game ON game_secrets(game_id);

CREATE TABLE request_nonces (
  game_id TEXT NOT NULL,
  nonce TEXT NOT NULL,
  seen_at INTEGER NOT NULL,
  PRIMARY KEY (game_id, nonce)
) STRICT, WITHOUT ROWID;

CREATE TABLE players (
  wallet TEXT PRIMARY KEY,
  user_id TEXT NOT NULL UNIQUE,
  username TEXT NOT NULL DEFAULT '',
  avatar TEXT NOT NULL DEFAULT '',
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE sign_ins (
  id TEXT PRIMARY KEY,
  game_id TEXT NOT NULL,
  wallet TEXT NOT NULL,
  sign_request TEXT NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 0,
  expires_at INTEGER NOT NULL,
  used_at INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX sign_ins_by_expiry ON sign_ins(expires_at);

CREATE TABLE channel_sessions (
  id TEXT PRIMARY KEY,
  game_id TEXT NOT NULL REFERENCES games(id),
  wallet TEXT NOT NULL REFERENCES players(wallet),
  opened_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  ended_at INTEGER,
  end_reason TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX channel_sessions_by_wallet ON channel_sessions(wallet, opened_at);
CREATE INDEX channel_sessions_by_game ON channel_sessions(game_id, opened_at);

-- game_id '' bans from every game.
CREATE TABLE bans (
  wallet TEXT NOT NULL,
  game_id TEXT NOT NULL,
  reason TEXT NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (wallet, game_id)
) STRICT, WITHOUT ROWID;

-- outcome: NULL while under way or when the process ended in the middle, else ok or the reason of the refusal.
CREATE TABLE audit_log (
  id TEXT PRIMARY KEY,
  at INTEGER NOT NULL,
  actor TEXT NOT NULL,
  operation TEXT NOT NULL,
  input TEXT NOT NULL,             -- JSON, without what must not be kept
  outcome TEXT
) STRICT, WITHOUT ROWID;

-- reached_at: when the record came to hold this score; unlike updated_at, not moved by setting it again.
CREATE TABLE scores (
  id TEXT PRIMARY KEY,
  game_id TEXT NOT NULL,
  wallet TEXT NOT NULL,
  nonce TEXT NOT NULL,
  score REAL NOT NULL,
  reached_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  revision INTEGER NOT NULL,       -- the seq of its event: orders updates that fall into one millisecond
  UNIQUE (game_id, wallet, nonce)
) STRICT, WITHOUT ROWID;
CREATE INDEX scores_by_update ON scores(game_id, wallet, revision);
CREATE INDEX scores_by_score ON scores(game_id, wallet, score, reached_at, id);

-- The record that counts for each player. sort_score ascends from the best: it is -score where more is better.
CREATE TABLE board (
  game_id TEXT NOT NULL,
  wallet TEXT NOT NULL,
  score_id TEXT NOT NULL,
  sort_score REAL NOT NULL,
  reached_at INTEGER NOT NULL,
  PRIMARY KEY (game_id, wallet)
) STRICT, WITHOUT ROWID;
CREATE INDEX board_by_rank ON board(game_id, sort_score, reached_at, score_id);

CREATE TABLE states (
  id TEXT PRIMARY KEY,
  game_id TEXT NOT NULL,
  wallet TEXT NOT NULL,
  label TEXT NOT NULL,
  ipfs_hash TEXT NOT NULL,
  json TEXT NOT NULL,
  updated_at INTEGER NOT NULL,
  revision INTEGER NOT NULL,       -- counts the player's updates in order
  UNIQUE (game_id, wallet, label)
) STRICT;
CREATE INDEX states_by_update ON states(game_id, wallet, revision);

CREATE TABLE play_sessions (
  id TEXT PRIMARY KEY,
  game_id TEXT NOT NULL,
  wallet TEXT NOT NULL,
  state TEXT NOT NULL,
  started_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  end_time INTEGER
) STRICT;
CREATE INDEX play_sessions_by_player ON play_sessions(game_id, wallet, started_at);

CREATE TABLE activities (
  id TEXT PRIMARY KEY,
  game_id TEXT NOT NULL REFERENCES games(id),
  wallet TEXT NOT NULL REFERENCES players(wallet),
  type TEXT NOT NULL,
  label TEXT NOT NULL,
  event_id TEXT NOT NULL,
  timestamp INTEGER NOT NULL
) STRICT;
CREATE INDEX activities_by_time ON activities(timestamp, id);
CREATE INDEX activities_by_game ON activities(game_id, timestamp, id);
CREATE INDEX activities_by_wallet ON activities(wallet, timestamp, id);

CREATE TABLE notifications (
  id TEXT PRIMARY KEY,
  game_id TEXT NOT NULL,
  wallet TEXT NOT NULL,
  message TEXT NOT NULL,
  type TEXT NOT NULL,
  event_seq INTEGER NOT NULL,      -- of its event in the player's stream
  created_at INTEGER NOT NULL,
  delivered_at INTEGER             -- NULL: no launcher was there yet to hear it
) STRICT;
CREATE INDEX notifications_undelivered ON notifications(wallet, event_seq) WHERE delivered_at IS NULL;
CREATE INDEX notifications_by_delivery ON notifications(delivered_at) WHERE delivered_at IS NOT NULL;

-- participants_key: the sorted wallets, joined; not unique, because leaving can make two channels alike.
CREATE TABLE message_channels (
  id TEXT PRIMARY KEY,
  game_id TEXT NOT NULL,
  participants_key TEXT NOT NULL,
  name TEXT NOT NULL DEFAULT '',
  chat_picture TEXT NOT NULL DEFAULT '',
  message_count INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX message_channels_by_participants ON message_channels(game_id, participants_key, created_at);

CREATE TABLE participants (
  channel_id TEXT NOT NULL REFERENCES message_channels(id),
  wallet TEXT NOT NULL,
  game_id TEXT NOT NULL,
  user_group INTEGER NOT NULL DEFAULT 0,
  permissions TEXT NOT NULL,       -- JSON array
  position INTEGER NOT NULL,       -- order of joining
  joined_seq INTEGER NOT NULL,     -- the channel's stream stood here when the wallet joined
  PRIMARY KEY (channel_id, wallet)
) STRICT, WITHOUT ROWID;
CREATE INDEX participants_by_wallet ON participants(wallet, game_id);

-- Channels a wallet was in once: their events may still name it, which erasing the player must find.
CREATE TABLE left_channels (
  wallet TEXT NOT NULL,
  channel_id TEXT NOT NULL REFERENCES message_channels(id),
  PRIMARY KEY (wallet, channel_id)
) STRICT, WITHOUT ROWID;

-- event_seqs: the channel's events that hold this message's words, so that unsending can erase them there.
CREATE TABLE messages (
  id TEXT PRIMARY KEY,
  channel_id TEXT NOT NULL REFERENCES message_channels(id),
  sender TEXT NOT NULL,
  content TEXT NOT NULL,
  event_seqs TEXT NOT NULL,        -- JSON array
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX messages_by_channel ON messages(channel_id, created_at, id);
CREATE INDEX messages_by_sender ON messages(sender);

CREATE TABLE rule_triggers (
  id TEXT PRIMARY KEY,
  game_id TEXT NOT NULL,
  wallet TEXT NOT NULL,
  nonce TEXT,
  trigger TEXT NOT NULL,
  value REAL,
  actions TEXT NOT NULL,           -- JSON array of types
  at INTEGER NOT NULL,
  UNIQUE (game_id, wallet, nonce)
) STRICT;

CREATE TABLE rule_executions (
  game_id TEXT NOT NULL,
  rule_key TEXT NOT NULL,
  wallet TEXT NOT NULL,
  at INTEGER NOT NULL
) STRICT;
CREATE INDEX rule_executions_by_rule ON rule_executions(game_id, rule_key, wallet, at);

-- One row: which history this is. It changes when the file is replaced by a restored backup, so that a
-- cursor into another history is not mistaken for one into this.
CREATE TABLE history (epoch TEXT NOT NULL) STRICT;
INSERT INTO history (epoch) VALUES (lower(hex(randomblob(8))));

-- wallet: set for a player's streams, which a launcher's own session hears all of.
-- first_seq: the oldest event kept. trim_at: when the stream may hold something too old to keep.
CREATE TABLE streams (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  wallet TEXT,
  seq INTEGER NOT NULL,
  first_seq INTEGER NOT NULL,
  trim_at INTEGER NOT NULL
) STRICT;
CREATE INDEX streams_by_wallet ON streams(wallet) WHERE wallet IS NOT NULL;
CREATE INDEX streams_by_trim ON streams(trim_at);

-- position: the order of commits over all streams, by which a node knows what it has not told its sockets.
-- AUTOINCREMENT: a position is never given twice, even when the last events were erased with their player.
CREATE TABLE events (
  position INTEGER PRIMARY KEY AUTOINCREMENT,
  stream_id INTEGER NOT NULL REFERENCES streams(id),
  seq INTEGER NOT NULL,
  name TEXT NOT NULL,
  record TEXT NOT NULL,            -- JSON
  at INTEGER NOT NULL,
  UNIQUE (stream_id, seq)
) STRICT;
`;
