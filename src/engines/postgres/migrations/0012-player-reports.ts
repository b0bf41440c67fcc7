/** Players' reports to the moderators, about other players and messages. */
export const playerReports = `
CREATE TABLE player_reports (
  id uuid NOT NULL,
  game_id uuid NOT NULL,
  reporter text COLLATE "C" NOT NULL,
  subject text COLLATE "C" NOT NULL,
  message_id uuid,
  channel_id uuid,
  reason text COLLATE "C" NOT NULL,
  comment text COLLATE "C" NOT NULL,
  status text COLLATE "C" NOT NULL,
  created_at bigint NOT NULL,
  closed_at bigint,
  closed_by text COLLATE "C" NOT NULL,
  note text COLLATE "C" NOT NULL,
  PRIMARY KEY (id)
);
CREATE INDEX player_reports_by_reporter ON player_reports (reporter, game_id, created_at, id);
CREATE INDEX player_reports_open ON player_reports (reporter, game_id, id) WHERE closed_at IS NULL;
CREATE INDEX player_reports_by_subject ON player_reports (subject, id);
CREATE INDEX player_reports_by_status ON player_reports (status, created_at, id);
CREATE INDEX player_reports_by_time ON player_reports (created_at, id);
`;
