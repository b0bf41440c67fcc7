/** Up to which message players have read. */
export const readMarkers = `
CREATE TABLE read_markers (
  channel_id uuid NOT NULL,
  wallet text COLLATE "C" NOT NULL,
  message_id uuid NOT NULL,
  read_seq bigint NOT NULL,
  read_at bigint NOT NULL,
  PRIMARY KEY (channel_id, wallet)
);
CREATE INDEX read_markers_by_wallet ON read_markers (wallet, channel_id);
`;
