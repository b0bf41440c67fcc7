/** Players without a wallet, and the secrets with which their devices sign in. */
export const guests = `
-- wallet: the address itself, until the guest has a wallet.
CREATE TABLE guests (
  address TEXT PRIMARY KEY,
  wallet TEXT NOT NULL,
  vouched_by TEXT,                 -- the game whose server vouches for the player
  player_key TEXT,                 -- hex SHA-256 of what that server calls the player
  created_at INTEGER NOT NULL,
  upgraded_at INTEGER,
  sweep_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX guests_by_wallet ON guests(wallet);
CREATE UNIQUE INDEX guests_by_player ON guests(vouched_by, player_key) WHERE player_key IS NOT NULL;
CREATE INDEX guests_by_sweep ON guests(sweep_at, address);

CREATE TABLE guest_devices (
  id TEXT PRIMARY KEY,
  wallet TEXT NOT NULL,
  secret_hash TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  last_used_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX guest_devices_by_wallet ON guest_devices(wallet, id);

-- The guest who is to have the wallet; NULL: the wallet signs in.
ALTER TABLE sign_ins ADD COLUMN guest TEXT;

CREATE INDEX notifications_by_wallet ON notifications(wallet);
`;
