/** Reports by players to the moderators, about players or messages. */
export const playerReports = `
CREATE TABLE player_reports (
  id TEXT PRIMARY KEY,
  game_id TEXT NOT NULL,
  reporter TEXT NOT NULL,
  subject TEXT NOT NULL,           -- the player it is about; of a message, its sender
  message_id TEXT,                 -- NULL: the player, and no message
  channel_id TEXT,
  reason TEXT NOT NULL,
  comment TEXT NOT NULL,
  status TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  closed_at INTEGER,
  closed_by TEXT NOT NULL,
  note TEXT NOT NULL
) STRICT;
CREATE INDEX player_reports_by_reporter ON player_reports(reporter, game_id, created_at, id);
CREATE INDEX player_reports_open ON player_reports(reporter, game_id, id) WHERE closed_at IS NULL;
CREATE INDEX player_reports_by_subject ON player_reports(subject, id);
CREATE INDEX player_reports_by_status ON player_reports(status, created_at, id);
CREATE INDEX player_reports_by_time ON player_reports(created_at, id);
`;
