/** Read markers, replies and reactions. */
export const conversations = `
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
-- The message that this one replies to; it may be unsent by now.
ALTER TABLE messages ADD COLUMN reply_to TEXT;

-- JSON array of pairs, in the order of first use: a reaction, and how many players have it; NULL: none.
ALTER TABLE messages ADD COLUMN reactions TEXT;

CREATE TABLE message_reactions (
  message_id TEXT NOT NULL,
  wallet TEXT NOT NULL,
  reaction TEXT NOT NULL,
  channel_id TEXT NOT NULL REFERENCES message_channels(id),
  created_at INTEGER NOT NULL,
  PRIMARY KEY (message_id, wallet, reaction)
) STRICT, WITHOUT ROWID;
CREATE INDEX message_reactions_by_wallet ON message_reactions(wallet);
`;
