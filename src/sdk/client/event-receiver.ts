import type { Cursor, Cursors, Meta } from './cursors.ts';
import type { Received, ReceivedName } from './operation-types.ts';

export type Listener<Name extends ReceivedName> = (record: Received[Name], meta: Meta) => void;

/** The first event of every connection: where each stream resumes. */
export interface FirstEvent {
  sessionId: string;
  streams: Record<string, Cursor & { latest: number; recovered: boolean }>;
}

/** Passes each event to its listeners, once and in order within its stream. */
export class EventReceiver {
  readonly cursors: Cursors;
  readonly #listeners = new Map<string, Set<(record: never, meta: Meta) => void>>();
  readonly #resyncListeners = new Set<(stream: string) => unknown>();
  /** Streams being reloaded. Their cursors are not saved until then, so that a restart of the game reloads them too. */
  readonly #loading = new Map<string, Promise<unknown>>();
  readonly #changed: () => void;

  /** `changed`: called when cursors have changed that may be saved. */
  constructor(cursors: Cursors, changed: () => void) {
    this.cursors = cursors;
    this.#changed = changed;
  }

  on<Name extends ReceivedName>(name: Name, listener: Listener<Name>): () => void {
    const listeners = this.#listeners.get(name) ?? new Set();
    this.#listeners.set(name, listeners.add(listener));
    return () => listeners.delete(listener);
  }

  onResync(listener: (stream: string) => unknown): () => void {
    this.#resyncListeners.add(listener);
    return () => this.#resyncListeners.delete(listener);
  }

  /** The cursors of the streams whose data the listeners have. */
  loadedCursors(): Record<string, Cursor> {
    const loaded = Object.entries(this.cursors.toJSON()).filter(([stream]) => !this.#loading.has(stream));
    return Object.fromEntries(loaded);
  }

  /** Continues after the first event of a connection. Returns the number of events about to be replayed. */
  begin({ streams }: FirstEvent): number {
    const known = this.cursors.toJSON();
    let replayed = 0;
    for (const [stream, { epoch, seq, latest, recovered }] of Object.entries(streams)) {
      const own = this.cursors.get(stream);
      const isSameHistory = own?.epoch === epoch;
      replayed += latest - seq;
      // The cursor may have been omitted from the handshake: then nothing was missed if it equals the stream's
      // position.
      const isMissed = !recovered && !(isSameHistory && own.seq === seq);
      if (recovered && isSameHistory && own.seq > seq) continue; // replayed duplicates are dropped
      this.cursors.set(stream, { epoch, seq });
      if (isMissed) this.#reload(stream);
    }
    // The player no longer receives a stream that is not listed.
    for (const stream of Object.keys(known)) if (!Object.hasOwn(streams, stream)) this.cursors.forget(stream);
    return replayed;
  }

  /** Passes an event to its listeners, unless it is a duplicate. False: events before it are missing. */
  receive(name: string, record: { _id?: string }, meta: Meta): boolean {
    const verdict = this.cursors.judge(name, meta, record._id);
    if (verdict !== 'take') return verdict === 'drop';
    for (const listener of this.#listeners.get(name) ?? []) {
      try {
        listener(record as never, meta);
      } catch (error) {
        // Rethrown asynchronously, so that the other listeners still receive the event.
        queueMicrotask(() => {
          throw error;
        });
      }
    }
    this.#changed();
    return true;
  }

  #reload(stream: string): void {
    const loading = Promise.all([...this.#resyncListeners].map((listener) => listener(stream)));
    this.#loading.set(stream, loading);
    loading.then(
      () => {
        if (this.#loading.get(stream) !== loading) return;
        this.#loading.delete(stream);
        this.#changed();
      },
      () => undefined, // the cursor stays out of the store, so the next start reloads the stream
    );
  }
}
