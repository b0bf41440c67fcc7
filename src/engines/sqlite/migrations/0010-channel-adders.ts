/** Who added participants to message channels, whom players decline to be added by, and messages by stream position. */
export const channelAdders = `
-- added_by: who put the wallet in the channel; a channel's creator put in itself. Of channels there were before, whoever
-- has been in them longest is taken for it.
ALTER TABLE participants ADD COLUMN added_by TEXT NOT NULL DEFAULT '';
UPDATE participants SET added_by = longest.wallet
  FROM (SELECT channel_id, wallet, min(position) FROM participants GROUP BY channel_id) AS longest
  WHERE longest.channel_id = participants.channel_id;
CREATE INDEX participants_by_adder ON participants(added_by, wallet, game_id);

-- The wallet left a channel that the adder had put it in, and is put in no other by the same.
CREATE TABLE declined_adders (
  wallet TEXT NOT NULL,
  game_id TEXT NOT NULL,
  adder TEXT NOT NULL,
  PRIMARY KEY (wallet, game_id, adder)
) STRICT, WITHOUT ROWID;
CREATE INDEX declined_adders_by_adder ON declined_adders(adder);

CREATE INDEX bans_by_game ON bans(game_id, wallet);

-- An index and no column: rows that are written again leave copies of what was said in their pages.
CREATE INDEX messages_by_seq ON messages(channel_id, json_extract(event_seqs, '$[0]'));
`;
