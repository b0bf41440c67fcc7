/** Friends and requests, friend codes, privacy and invites; and the name that players are searched by. */
export const friends = `
CREATE TABLE friendships (
  wallet TEXT NOT NULL,            -- whose list
  other TEXT NOT NULL,
  state TEXT NOT NULL,
  favorite INTEGER NOT NULL,
  note TEXT NOT NULL,
  message TEXT NOT NULL,
  changed_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  PRIMARY KEY (wallet, other)
) STRICT, WITHOUT ROWID;
CREATE INDEX friendships_by_state ON friendships(wallet, state, changed_at, other);
CREATE INDEX friendships_by_other ON friendships(other, wallet);
CREATE INDEX friendships_by_expiry ON friendships(expires_at, wallet, other);

CREATE TABLE friend_codes (
  wallet TEXT PRIMARY KEY,
  code TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX friend_codes_by_code ON friend_codes(code);

CREATE TABLE player_privacy (
  wallet TEXT PRIMARY KEY,
  requests TEXT NOT NULL,
  presence TEXT NOT NULL,
  show_game INTEGER NOT NULL,
  invites TEXT NOT NULL,
  searchable INTEGER NOT NULL,
  show_playtime INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE invites (
  id TEXT PRIMARY KEY,
  sender TEXT NOT NULL,
  wallet TEXT NOT NULL,            -- who is invited
  game_id TEXT NOT NULL,
  connect TEXT NOT NULL,
  message TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX invites_by_receiver ON invites(wallet, id);
CREATE INDEX invites_by_sender ON invites(sender, id);
CREATE INDEX invites_by_expiry ON invites(expires_at, id);
CREATE INDEX invites_by_game ON invites(game_id, id);

CREATE INDEX players_by_search_name ON players(search_name, wallet) WHERE search_name <> '';
CREATE INDEX games_by_kind ON games(kind, id);
`;
