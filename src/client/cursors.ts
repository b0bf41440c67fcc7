/** How far a client has heard one stream. */
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

/** What to do with an event: `take` it, `drop` it as heard before, or reconnect because one before it is missing. */
export type Verdict = 'take' | 'drop' | 'gap';

/** Late notifications heard, remembered by id because their seq lies behind the cursor. */
const rememberedLate = 1_000;

/** Keeps a client's place in every stream, and tells events heard before from new ones. */
export class Cursors {
  readonly #places: Map<string, Cursor>;
  readonly #late = new Set<string>();

  constructor(saved: Readonly<Record<string, Cursor>> = {}) {
    this.#places = new Map(Object.entries(saved));
  }

  /** As the handshake takes them; to be saved where a restart of the client should not miss anything. */
  toJSON(): Record<string, Cursor> {
    return Object.fromEntries(this.#places);
  }

  set(stream: string, { epoch, seq }: Cursor): void {
    this.#places.set(stream, { epoch, seq });
  }

  /** As `set`, unless the stream is being heard already: then its cursor knows better. */
  begin(stream: string, { epoch, seq }: Cursor): void {
    if (this.#places.get(stream)?.epoch !== epoch) this.set(stream, { epoch, seq });
  }

  /** Goes on from nowhere: every stream is to be loaded anew. */
  clear(): void {
    this.#places.clear();
  }

  forget(stream: string): void {
    this.#places.delete(stream);
  }

  /** Judges an event, and moves the cursor when it is to be taken. */
  judge(meta: Meta, recordId: string | undefined): Verdict {
    const { stream, epoch, seq } = meta;
    if (epoch === undefined || seq === undefined) return 'take';
    if (meta.late) return this.#judgeLate(recordId);
    const place = this.#places.get(stream);
    if (place && place.epoch === epoch) {
      if (seq <= place.seq) return 'drop';
      if (seq > place.seq + 1) return 'gap';
    }
    this.set(stream, { epoch, seq });
    return 'take';
  }

  #judgeLate(recordId: string | undefined): Verdict {
    if (recordId === undefined) return 'take';
    if (this.#late.has(recordId)) return 'drop';
    this.#late.add(recordId);
    const [oldest] = this.#late;
    if (this.#late.size > rememberedLate && oldest !== undefined) this.#late.delete(oldest);
    return 'take';
  }
}
