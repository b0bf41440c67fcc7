/** Support for clients of basement.fun: triggers with texts, sessions that are present with the player's launcher,
 * and scores that refer to their play session. */
export const basementClients = `
-- A trigger's value when it is a text; a number is in value.
ALTER TABLE rule_triggers ADD COLUMN value_text TEXT;

-- 1: a launcher opened the session, or its player signed in.
ALTER TABLE channel_sessions ADD COLUMN follows_launcher INTEGER NOT NULL DEFAULT 0;

ALTER TABLE scores ADD COLUMN session_id TEXT;
`;
