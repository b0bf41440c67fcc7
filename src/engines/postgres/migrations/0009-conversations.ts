/** Read positions, replies and reactions. */
export const conversations = `
CREATE TABLE read_markers (
  channel_id uuid NOT NULL,
  wallet text COLLATE "C" NOT NULL,
  message_id uuid NOT NULL,
  read_seq bigint NOT NULL,
  read_at bigint NOT NULL,
  PRIMARY KEY (channel_id, wallet)
);
CREATE INDEX read_markers_by_wallet ON read_markers (wallet, channel_id);
-- The message that this one replies to; it may be unsent by now.
ALTER TABLE messages ADD COLUMN reply_to uuid;

ALTER TABLE messages ADD COLUMN reactions text COLLATE "C";
CREATE TABLE message_reactions (
  message_id uuid NOT NULL,
  wallet text COLLATE "C" NOT NULL,
  reaction text COLLATE "C" NOT NULL,
  channel_id uuid NOT NULL,
  created_at bigint NOT NULL,
  PRIMARY KEY (message_id, wallet, reaction)
);
CREATE INDEX message_reactions_by_wallet ON message_reactions (wallet);
`;
