import type { Database } from 'better-sqlite3';
import { folded } from '../../../core/schemas/folded.ts';

/** Players are searched by their folded name, which SQLite cannot compute. */
export function searchNames(db: Database): void {
  db.function('folded', { deterministic: true }, (name) => folded(String(name)));
  db.exec(`
    ALTER TABLE players ADD COLUMN search_name TEXT NOT NULL DEFAULT '';
    UPDATE players SET search_name = folded(username) WHERE username <> '';
  `);
}
