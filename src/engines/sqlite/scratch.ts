import SqliteDatabase, { type Database, type Statement } from 'better-sqlite3';
import { prepare } from './prepare.ts';

/**
 * Texts by key, for work on more data than fits in memory. They are kept in a temporary file without a name, which is gone
 * when the process ends, however it ends.
 */
export class Scratch {
  readonly #db: Database;
  readonly #add: Statement<[string, string]>;
  #get: Statement<[string], string> | undefined;

  constructor() {
    this.#db = new SqliteDatabase('');
    this.#db.exec(
      'PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; CREATE TABLE texts (key TEXT, text TEXT); BEGIN',
    );
    this.#add = prepare(this.#db, 'INSERT INTO texts VALUES (?, ?)');
  }

  add(key: string, text: string): void {
    this.#add.run(key, text);
  }

  /** The first text under a key. */
  get(key: string): string | undefined {
    if (!this.#get) {
      this.#db.exec('CREATE INDEX by_key ON texts (key)');
      const text = 'SELECT text FROM texts WHERE key = ? ORDER BY rowid LIMIT 1';
      this.#get = prepare<[string], string>(this.#db, text).pluck();
    }
    return this.#get.get(key);
  }

  /** The texts of each key, in the order in which they were added. Nothing is added meanwhile. */
  *groups(): Iterable<{ key: string; texts: string[] }> {
    const text = 'SELECT key, text FROM texts ORDER BY key, rowid';
    let group: { key: string; texts: string[] } | undefined;
    for (const { key, text: one } of prepare<[], { key: string; text: string }>(this.#db, text).iterate()) {
      if (group?.key !== key) {
        if (group) yield group;
        group = { key, texts: [] };
      }
      group.texts.push(one);
    }
    if (group) yield group;
  }

  close(): void {
    this.#db.close();
  }
}
