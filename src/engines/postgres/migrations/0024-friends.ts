/** Friends and requests, friend codes, privacy and invites; and the name that players are searched by. */
export const friends = `
CREATE TABLE friendships (
  wallet text COLLATE "C" NOT NULL,
  other text COLLATE "C" NOT NULL,
  state text COLLATE "C" NOT NULL,
  favorite bigint NOT NULL,
  note text COLLATE "C" NOT NULL,
  message text COLLATE "C" NOT NULL,
  changed_at bigint NOT NULL,
  expires_at bigint NOT NULL,
  PRIMARY KEY (wallet, other)
);
CREATE INDEX friendships_by_state ON friendships (wallet, state, changed_at, other);
CREATE INDEX friendships_by_other ON friendships (other, wallet);
CREATE INDEX friendships_by_expiry ON friendships (expires_at, wallet, other);

CREATE TABLE friend_codes (
  wallet text COLLATE "C" PRIMARY KEY,
  code text COLLATE "C" NOT NULL
);
CREATE UNIQUE INDEX friend_codes_by_code ON friend_codes (code);

CREATE TABLE player_privacy (
  wallet text COLLATE "C" PRIMARY KEY,
  requests text COLLATE "C" NOT NULL,
  presence text COLLATE "C" NOT NULL,
  show_game bigint NOT NULL,
  invites text COLLATE "C" NOT NULL,
  searchable bigint NOT NULL,
  show_playtime bigint NOT NULL,
  updated_at bigint NOT NULL
);

CREATE TABLE invites (
  id uuid PRIMARY KEY,
  sender text COLLATE "C" NOT NULL,
  wallet text COLLATE "C" NOT NULL,
  game_id uuid NOT NULL,
  connect text COLLATE "C" NOT NULL,
  message text COLLATE "C" NOT NULL,
  created_at bigint NOT NULL,
  expires_at bigint NOT NULL
);
CREATE INDEX invites_by_receiver ON invites (wallet, id);
CREATE INDEX invites_by_sender ON invites (sender, id);
CREATE INDEX invites_by_expiry ON invites (expires_at, id);
CREATE INDEX invites_by_game ON invites (game_id, id);

CREATE INDEX players_by_search_name ON players (search_name, wallet) WHERE search_name <> '';
CREATE INDEX games_by_kind ON games (kind, id);
`;
