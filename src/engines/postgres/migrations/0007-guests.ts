/** Players without a wallet, and the credentials of their devices. */
export const guests = `
CREATE TABLE guests (
  address text COLLATE "C" NOT NULL,
  wallet text COLLATE "C" NOT NULL,
  vouched_by uuid,
  player_key text COLLATE "C",
  created_at bigint NOT NULL,
  upgraded_at bigint,
  sweep_at bigint NOT NULL,
  PRIMARY KEY (address)
);
CREATE INDEX guests_by_wallet ON guests (wallet);
CREATE UNIQUE INDEX guests_by_player ON guests (vouched_by, player_key) WHERE player_key IS NOT NULL;
CREATE INDEX guests_by_sweep ON guests (sweep_at, address);
CREATE TABLE guest_devices (
  id uuid NOT NULL,
  wallet text COLLATE "C" NOT NULL,
  secret_hash text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  created_at bigint NOT NULL,
  last_used_at bigint NOT NULL,
  PRIMARY KEY (id)
);
CREATE UNIQUE INDEX guest_devices_by_secret ON guest_devices (secret_hash);
CREATE INDEX guest_devices_by_wallet ON guest_devices (wallet, id);
ALTER TABLE sign_ins ADD COLUMN guest text COLLATE "C";
CREATE INDEX notifications_by_wallet ON notifications (wallet);
`;
