/** A client's position in one stream. */
export interface Cursor {
  epoch: string;
  seq: number;
}

/** The second argument of a pushed event; signals have no `epoch` and `seq`. */
export interface Meta {
  stream: string;
  epoch?: string;
  seq?: number;
  late?: true;
}

/** What to do with an event: `take` it, `drop` it as a duplicate, or reconnect because of a `gap` before it. */
export type Verdict = 'take' | 'drop' | 'gap';

/**
 * How many notifications are remembered by ID. One that was delivered may come again behind the cursor, as a late one: the
 * server did not live to write down that it was delivered.
 */
const maxNotificationIds = 1_000;

/** How many cursors a handshake carries at most: the server refuses one that is too long. */
const maxSent = 1_000;

/** What a handshake says of the cursors: `partial` tells the server that there are more than these. */
export interface SentCursors {
  cursors: Record<string, Cursor>;
  partial?: true;
}

/** A client's position in every stream; detects duplicates and gaps. */
export class Cursors {
  readonly #positions: Map<string, Cursor>;
  readonly #notifications: Set<string>;

  constructor(saved: Readonly<Record<string, Cursor>> = {}, notifications: readonly string[] = []) {
    this.#positions = new Map(Object.entries(saved));
    this.#notifications = new Set(notifications);
  }

  /** The IDs of the notifications handled, the latest last. */
  get notifications(): string[] {
    return [...this.#notifications];
  }

  /** All of them, the most recently active last; save it so that a restart of the client misses nothing. */
  toJSON(): Record<string, Cursor> {
    return Object.fromEntries(this.#positions);
  }

  /** For the handshake: all of them, or those of players and games and of the most recently active message channels. */
  toSend(): SentCursors {
    if (this.#positions.size <= maxSent) return { cursors: this.toJSON() };
    const isChannel = ([stream]: [string, Cursor]) => stream.startsWith('channel:');
    const recent = [...this.#positions].reverse();
    const others = recent.filter((one) => !isChannel(one));
    return {
      cursors: Object.fromEntries([...others, ...recent.filter(isChannel)].slice(0, maxSent)),
      partial: true,
    };
  }

  get(stream: string): Cursor | undefined {
    return this.#positions.get(stream);
  }

  set(stream: string, { epoch, seq }: Cursor): void {
    this.#positions.set(stream, { epoch, seq });
  }

  /** Like `set`, unless the stream has a cursor already, which is more recent. */
  begin(stream: string, { epoch, seq }: Cursor): void {
    if (this.#positions.get(stream)?.epoch !== epoch) this.set(stream, { epoch, seq });
  }

  /** Forgets all positions: every stream has to be reloaded. */
  clear(): void {
    this.#positions.clear();
  }

  forget(stream: string): void {
    this.#positions.delete(stream);
  }

  /** Judges an event, and moves the cursor when it is to be taken. */
  judge(name: string, meta: Meta, recordId: string | undefined): Verdict {
    const { stream, epoch, seq } = meta;
    if (epoch === undefined || seq === undefined) return 'take';
    const verdict = meta.late ? 'take' : this.#judgeSeq(stream, { epoch, seq });
    const isNew = verdict !== 'take' || name !== 'notifications created' || this.#isNew(recordId);
    return isNew ? verdict : 'drop';
  }

  #judgeSeq(stream: string, { epoch, seq }: Cursor): Verdict {
    const position = this.#positions.get(stream);
    if (position && position.epoch === epoch) {
      if (seq <= position.seq) return 'drop';
      if (seq > position.seq + 1) return 'gap';
    }
    this.#positions.delete(stream); // the map is in the order of activity
    this.set(stream, { epoch, seq });
    return 'take';
  }

  /** Whether a notification was not handled yet; it is about to be. */
  #isNew(id: string | undefined): boolean {
    if (id === undefined) return true;
    if (this.#notifications.has(id)) return false;
    this.#notifications.add(id);
    const [oldest] = this.#notifications;
    if (this.#notifications.size > maxNotificationIds && oldest !== undefined) {
      this.#notifications.delete(oldest);
    }
    return true;
  }
}
