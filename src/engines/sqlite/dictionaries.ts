import type { Database } from 'better-sqlite3';
import type { Kind, Value } from '../../core/storage/table.ts';
import { prepare } from './prepare.ts';

const maxCached = 100_000;

/** Maps long names to integer ids, which replace them in other tables and make their indexes a third as large. */
export class Dictionary {
  // Maps, because an LRU cache would allocate its full capacity up front, which delays commands on small databases.
  readonly #ids = new Map<string, number>();
  readonly #names = new Map<number, string>();
  readonly #statements;

  constructor(db: Database, { table, name }: { table: string; name: string }) {
    this.#statements = {
      id: prepare<[string], number>(db, `SELECT id FROM ${table} WHERE ${name} = ?`).pluck(),
      name: prepare<[number], string>(db, `SELECT ${name} FROM ${table} WHERE id = ?`).pluck(),
    };
  }

  /** Null when the name has no id, so that no row can have it. */
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
    if (read === undefined) throw new Error(`there is no name with the id ${id}`);
    this.remember(read, id);
    return read;
  }

  remember(name: string, id: number): void {
    if (this.#ids.size >= maxCached) this.forget();
    this.#ids.set(name, id);
    this.#names.set(id, name);
  }

  /** Call this when names may have been deleted or given other ids. */
  forget(): void {
    this.#ids.clear();
    this.#names.clear();
  }
}

/** The dictionaries of a database: stream names, and ids of ranked groups. */
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

/** A value in SQLite's representation; undefined when no row can have it. */
export function encode(dictionary: Dictionary | null, value: Value): Value | undefined {
  return dictionary && typeof value === 'string' ? (dictionary.idOf(value) ?? undefined) : value;
}
