/** One requested write: it leaves `value` under `key`, or, null, nothing at all. */
export interface Entry {
  key: string;
  value: string | null;
  answered: boolean;
}

/** The requested writes, and which of them were acknowledged. */
export class Ledger {
  /** By their target, in the order of the requests: one player at a time writes to a key. */
  readonly byKey = new Map<string, Entry[]>();
  /** The acknowledgements on each connection, by the client's port, in order. */
  readonly byPort = new Map<number, Entry[]>();
  askedCount = 0;
  answeredCount = 0;
  #number = 0;

  /** Numbers grow, so that no two writes are equal. */
  nextNumber(): number {
    return ++this.#number;
  }

  requested(key: string, value: string | null): Entry {
    const entry: Entry = { key, value, answered: false };
    this.askedCount++;
    append(this.byKey, key, entry);
    return entry;
  }

  answered(entry: Entry, port: number): void {
    entry.answered = true;
    this.answeredCount++;
    append(this.byPort, port, entry);
  }
}

function append<Key, Value>(lists: Map<Key, Value[]>, key: Key, value: Value): void {
  const list = lists.get(key);
  if (list) list.push(value);
  else lists.set(key, [value]);
}
