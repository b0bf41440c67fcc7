/** Named administrators, as recorded in the audit log, and the backup schedule. */
export const administrators = `
CREATE TABLE administrators (
  id uuid PRIMARY KEY,
  name text COLLATE "C" NOT NULL,
  name_key text COLLATE "C" NOT NULL,
  role text COLLATE "C" NOT NULL,
  token_hash text COLLATE "C" NOT NULL,
  created_at bigint NOT NULL,
  expires_at bigint,
  last_used_at bigint
);
CREATE UNIQUE INDEX administrators_by_name ON administrators (name_key);
CREATE UNIQUE INDEX administrators_by_token ON administrators (token_hash);

-- NULL: the admin token or the command line, as actor says.
ALTER TABLE audit_log ADD COLUMN administrator_id uuid;

-- Empty here: the database's own tools make its backups.
CREATE TABLE backup_schedules (
  name text COLLATE "C" PRIMARY KEY,
  every_ms bigint NOT NULL,
  keep bigint NOT NULL,
  due_at bigint NOT NULL,
  failed_at bigint,
  failure text COLLATE "C"
);
`;
