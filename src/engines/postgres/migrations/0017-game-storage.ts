/** Bytes stored per game: see `countRow`. 512 bytes per row in addition to its texts. */
export const gameStorage = `
CREATE TABLE game_storage (
  game_id uuid NOT NULL,
  writer bigint NOT NULL,
  bytes bigint NOT NULL,
  others bigint NOT NULL,
  others_at bigint NOT NULL,
  PRIMARY KEY (game_id, writer)
) WITH (fillfactor = 50);
INSERT INTO game_storage (game_id, writer, bytes, others, others_at)
  SELECT game_id, 0, sum(bytes), 0, 0 FROM (
    SELECT game_id, 512 + bytes AS bytes FROM storage_use
    UNION ALL SELECT game_id, 2 * (512 + octet_length(message)) FROM notifications
    UNION ALL SELECT game_id, 2 * (512 + octet_length(label) + octet_length(event_id)) FROM activities
    UNION ALL SELECT game_id, 512 + coalesce(octet_length(nonce), 0) + octet_length(trigger)
        + coalesce(octet_length(value_text), 0) + octet_length(actions) FROM rule_triggers
    UNION ALL SELECT CAST(substr(s.name, 8, 36) AS uuid), 512 + coalesce(octet_length(c.nonce), 0) FROM scores AS c JOIN streams AS s ON s.id = c.stream_id
    UNION ALL SELECT CAST(substr(s.name, 8, 36) AS uuid), 2 * (512 + coalesce(octet_length(r.nonce), 0)
        + coalesce(octet_length(r.metadata), 0)) FROM leaderboard_records AS r JOIN streams AS s ON s.id = r.stream_id
  ) AS counted GROUP BY game_id;
`;
