/** The events of games' calendars, and maintenance. */
export const calendar = `
CREATE TABLE calendar_events (
  game_id TEXT NOT NULL,
  key TEXT NOT NULL,
  title TEXT NOT NULL,
  data TEXT NOT NULL,
  starts_at INTEGER NOT NULL,
  ends_at INTEGER,
  duration_ms INTEGER,
  cron TEXT,
  time_zone TEXT NOT NULL,
  version INTEGER NOT NULL,
  occurrence_starts_at INTEGER NOT NULL,
  occurrence_ends_at INTEGER NOT NULL,
  announced INTEGER NOT NULL,
  next_at INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (game_id, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX calendar_events_by_next ON calendar_events(next_at, game_id, key);

CREATE TABLE maintenance (
  scope TEXT PRIMARY KEY,          -- a game's id, or all
  game_id TEXT,
  starts_at INTEGER NOT NULL,
  until INTEGER NOT NULL,
  message TEXT NOT NULL,
  announce_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
`;
