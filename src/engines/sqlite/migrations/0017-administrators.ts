/** Named administrators, who are recorded in the audit log, and backup schedules. */
export const administrators = `
CREATE TABLE administrators (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  name_key TEXT NOT NULL UNIQUE,
  role TEXT NOT NULL,
  token_hash TEXT NOT NULL UNIQUE,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  last_used_at INTEGER
) STRICT;

-- NULL: the admin token or the command line, as actor says.
ALTER TABLE audit_log ADD COLUMN administrator_id TEXT;

CREATE TABLE backup_schedules (
  name TEXT PRIMARY KEY,
  every_ms INTEGER NOT NULL,
  keep INTEGER NOT NULL,
  due_at INTEGER NOT NULL,
  failed_at INTEGER,
  failure TEXT
) STRICT, WITHOUT ROWID;
`;
