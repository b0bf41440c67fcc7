import type { Database } from 'better-sqlite3';
import { newId } from '../../domain/ids.ts';
import type { Page, Paged } from '../../domain/paging.ts';
import type { AuditEntry, AuditStore } from '../store.ts';
import type { GroupCommit } from './group-commit.ts';

interface AuditRow {
  id: string;
  at: number;
  actor: string;
  operation: string;
  input: string;
  outcome: string | null;
}

export class SqliteAudit implements AuditStore {
  readonly #group: GroupCommit;
  readonly #statements;

  constructor(db: Database, group: GroupCommit) {
    this.#group = group;
    this.#statements = {
      insert: db.prepare('INSERT INTO audit_log (id, at, actor, operation, input) VALUES (?, ?, ?, ?, ?)'),
      finish: db.prepare('UPDATE audit_log SET outcome = ? WHERE id = ?'),
      // Ids are UUIDv7, so their order is that of the entries.
      list: db.prepare<[number, number], AuditRow>(
        'SELECT * FROM audit_log ORDER BY id DESC LIMIT ? OFFSET ?',
      ),
      count: db.prepare<[], number>('SELECT count(*) FROM audit_log').pluck(),
    };
  }

  begin(actor: string, operation: string, input: unknown): Promise<string> {
    return this.#group.write((tx) => {
      const id = newId();
      this.#statements.insert.run(id, tx.now, actor, operation, JSON.stringify(input));
      return id;
    });
  }

  finish(id: string, outcome: string): Promise<void> {
    return this.#group.write(() => {
      this.#statements.finish.run(outcome, id);
    });
  }

  async list(page: Page): Promise<Paged<AuditEntry>> {
    return {
      total: this.#statements.count.get() ?? 0,
      rows: this.#statements.list
        .all(page.limit, page.skip)
        .map((row) => ({ ...row, input: JSON.parse(row.input) })),
    };
  }
}
