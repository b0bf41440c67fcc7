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
 * The number of notification ids kept for deduplication. A delivered notification may come again as a late one, behind
 * the cursor, if the server was killed before it recorded the delivery.
 */
const maxNotificationIds = 1_000;

/** The maximum number of cursors in a handshake: the server refuses handshakes that are too long. */
const maxSent = 1_000;

/** The cursors in a handshake; `partial` tells the server that some are omitted. */
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

  /** The ids of the notifications handled, the latest last. */
  get notifications(): string[] {
    return [...this.#notifications];
  }

  /**
   * All cursors, the most recently active last; save them so that no events are missed across a restart of the client.
   */
  toJSON(): Record<string, Cursor> {
    return Object.fromEntries(this.#positions);
  }

  /**
   * The cursors for the handshake: all, or those of players and games and of the most recently active message channels.
   */
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

  /** Like `set`, unless the stream already has a cursor with the same epoch, which is more recent. */
  begin(stream: string, { epoch, seq }: Cursor): void {
    if (this.#positions.get(stream)?.epoch !== epoch) this.set(stream, { epoch, seq });
  }

  /** Deletes all cursors: every stream has to be reloaded. */
  clear(): void {
    this.#positions.clear();
  }

  forget(stream: string): void {
    this.#positions.delete(stream);
  }

  /** Decides what to do with an event, and advances the cursor when it is taken. */
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
    this.#positions.delete(stream); // keeps the map in order of activity
    this.set(stream, { epoch, seq });
    return 'take';
  }

  /** Whether a notification has not been handled yet; records it as handled. */
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
