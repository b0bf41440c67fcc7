/** Bytes stored per player and game: see `addStorageUse`. 512 bytes per row in addition to its text. */
export const storageUse = `
CREATE TABLE storage_use (
  game_id TEXT NOT NULL,
  wallet TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  PRIMARY KEY (game_id, wallet)
) STRICT, WITHOUT ROWID;
INSERT INTO storage_use (game_id, wallet, bytes)
  SELECT game_id, wallet, sum(bytes) FROM (
    SELECT game_id, wallet, 512 + octet_length(json) AS bytes FROM states
    UNION ALL SELECT game_id, wallet, 512 + octet_length(state) FROM play_sessions
    UNION ALL SELECT c.game_id, m.sender, 512 + octet_length(m.content) * json_array_length(m.event_seqs)
      FROM messages AS m JOIN message_channels AS c ON c.id = m.channel_id
  ) GROUP BY game_id, wallet;
`;
