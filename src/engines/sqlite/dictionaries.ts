import type { Database } from 'better-sqlite3';
import type { Kind, Value } from '../../core/storage/table.ts';

const maxRemembered = 100_000;

/** The numbers that stand for long names in the columns of other tables, which makes their indexes a third as large. */
export class Dictionary {
  // Maps: an LRU cache makes room for all it may ever hold, which a command on a small database would wait for.
  readonly #ids = new Map<string, number>();
  readonly #names = new Map<number, string>();
  readonly #statements;

  constructor(db: Database, { table, name }: { table: string; name: string }) {
    this.#statements = {
      id: db.prepare<[string], number>(`SELECT id FROM ${table} WHERE ${name} = ?`).pluck(),
      name: db.prepare<[number], string>(`SELECT ${name} FROM ${table} WHERE id = ?`).pluck(),
    };
  }

  /** Null: the name has no number, so no row can have it. */
  idOf(name: string): number | null {
    const known = this.#ids.get(name);
    if (known !== undefined) return known;
    const read = this.#statements.id.get(name);
    if (read === undefined) return null;
    this.remember(name, read);
    return read;
  }

  nameOf(id: number): string {
    const known = this.#names.get(id);
    if (known !== undefined) return known;
    const read = this.#statements.name.get(id);
    if (read === undefined) throw new Error(`there is no name for the number ${id}`);
    this.remember(read, id);
    return read;
  }

  remember(name: string, id: number): void {
    if (this.#ids.size >= maxRemembered) this.forget();
    this.#ids.set(name, id);
    this.#names.set(id, name);
  }

  /** Names may have gone, or come back under other numbers. */
  forget(): void {
    this.#ids.clear();
    this.#names.clear();
  }
}

/** Both dictionaries of a database: of streams' names, and of the games that have a leaderboard. */
export class Dictionaries {
  readonly streams: Dictionary;
  readonly boards: Dictionary;

  constructor(db: Database) {
    this.streams = new Dictionary(db, { table: 'streams', name: 'name' });
    this.boards = new Dictionary(db, { table: 'boards', name: 'game_id' });
  }

  of(kind: Kind): Dictionary | null {
    if (kind === 'stream') return this.streams;
    return kind === 'board' ? this.boards : null;
  }

  forget(): void {
    this.streams.forget();
    this.boards.forget();
  }
}

/** A value as SQLite has it; undefined: no row has it. */
export function encode(dictionary: Dictionary | null, value: Value): Value | undefined {
  return dictionary && typeof value === 'string' ? (dictionary.idOf(value) ?? undefined) : value;
}
