/** The events of games' calendars, and maintenance. */
export const calendar = `
CREATE TABLE calendar_events (
  game_id uuid NOT NULL,
  key text COLLATE "C" NOT NULL,
  title text COLLATE "C" NOT NULL,
  data text COLLATE "C" NOT NULL,
  starts_at bigint NOT NULL,
  ends_at bigint,
  duration_ms bigint,
  cron text COLLATE "C",
  time_zone text COLLATE "C" NOT NULL,
  version bigint NOT NULL,
  occurrence_starts_at bigint NOT NULL,
  occurrence_ends_at bigint NOT NULL,
  announced bigint NOT NULL,
  next_at bigint NOT NULL,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  PRIMARY KEY (game_id, key)
);
CREATE INDEX calendar_events_by_next ON calendar_events (next_at, game_id, key);

CREATE TABLE maintenance (
  scope text COLLATE "C" PRIMARY KEY,
  game_id uuid,
  starts_at bigint NOT NULL,
  until bigint NOT NULL,
  message text COLLATE "C" NOT NULL,
  announce_at bigint NOT NULL,
  updated_at bigint NOT NULL
);
`;
