/** Up to which message players have read. */
export const readMarkers = `
-- read_seq: the place of that message in the channel's stream.
CREATE TABLE read_markers (
  channel_id TEXT NOT NULL REFERENCES message_channels(id),
  wallet TEXT NOT NULL,
  message_id TEXT NOT NULL,
  read_seq INTEGER NOT NULL,
  read_at INTEGER NOT NULL,
  PRIMARY KEY (channel_id, wallet)
) STRICT, WITHOUT ROWID;
CREATE INDEX read_markers_by_wallet ON read_markers(wallet, channel_id);
`;
