import { clientError } from './client-error.ts';
import type { Cursor, Cursors, Meta } from './cursors.ts';
import { eventNames } from './operation-names.ts';
import type { Received, ReceivedName } from './operation-types.ts';

export type Listener<Name extends ReceivedName> = (record: Received[Name], meta: Meta) => void;

/** The first event of every connection: where each stream resumes. */
export interface FirstEvent {
  sessionId: string;
  streams: Record<string, Cursor & { latest: number; recovered: boolean }>;
  /** Only if the next version of the server will refuse this SDK. */
  warning?: string;
}

/** The number of events about to be replayed. */
export function missed({ streams }: FirstEvent): number {
  return Object.values(streams).reduce((sum, { seq, latest }) => sum + latest - seq, 0);
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

  /** @throws GantryError `event_unknown` */
  on<Name extends ReceivedName>(name: Name, listener: Listener<Name>): () => void {
    if (!eventNames.includes(name)) {
      throw clientError('event_unknown', `There is no event '${name}'. Is it '${nearestTo(name)}'?`);
    }
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

  /** Continues after the first event of a connection. */
  begin({ streams }: FirstEvent): void {
    const known = this.cursors.toJSON();
    for (const [stream, { epoch, seq, recovered }] of Object.entries(streams)) {
      const own = this.cursors.get(stream);
      const isSameHistory = own?.epoch === epoch;
      // The cursor may have been omitted from the handshake: then nothing was missed if it equals the stream's
      // position.
      const isMissed = !recovered && !(isSameHistory && own.seq === seq);
      if (recovered && isSameHistory && own.seq > seq) continue; // replayed duplicates are dropped
      this.cursors.set(stream, { epoch, seq });
      if (isMissed) this.#reload(stream);
    }
    // The player no longer receives a stream that is not listed.
    for (const stream of Object.keys(known)) if (!Object.hasOwn(streams, stream)) this.cursors.forget(stream);
  }

  /** Passes an event to its listeners, unless it is a duplicate. False: events before it are missing. */
  receive(name: string, record: { _id?: string }, meta: Meta): boolean {
    const verdict = this.cursors.judge(name, meta, record._id);
    if (verdict !== 'take') return verdict === 'drop';
    for (const listener of this.#listeners.get(name) ?? []) run(() => listener(record as never, meta));
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

/** Runs a listener. What it throws is rethrown asynchronously, so that the other listeners run too. */
export function run(listener: () => void): void {
  try {
    listener();
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}

/** The event whose name takes the fewest changes to become this one. */
function nearestTo(name: string): string {
  const [nearest = ''] = eventNames.toSorted((one, other) => distance(one, name) - distance(other, name));
  return nearest;
}

/** The number of characters to insert, delete or replace: Levenshtein distance. */
function distance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [line, one] of [...from].entries()) {
    let left = line + 1;
    const next = [left];
    for (const [column, other] of [...to].entries()) {
      left = Math.min(left + 1, (row[column + 1] ?? 0) + 1, (row[column] ?? 0) + (one === other ? 0 : 1));
      next.push(left);
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
