/**
 * Players and sessions that a game's server creates count in the game's storage quota from now on. Existing ones count
 * for no game: which server created a player was not stored.
 */
export const storedSessions = `
ALTER TABLE players ADD COLUMN created_by uuid;
ALTER TABLE channel_sessions ADD COLUMN stored_bytes bigint NOT NULL DEFAULT 0;
CREATE INDEX channel_sessions_by_expiry ON channel_sessions (expires_at, id);
`;
