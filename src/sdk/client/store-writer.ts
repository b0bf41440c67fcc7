import type { Saved, Store } from './store.ts';

/** The minimum interval between two saves, except for those that cannot wait, in milliseconds. */
const saveIntervalMs = 100;

/** Saves a client's state to its store, never while its listeners are handling an event. */
export class StoreWriter {
  readonly #store: Store | undefined;
  readonly #state: () => Saved;
  #isHeld = false;
  #isDue = false;
  #isClosed = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(store: Store | undefined, state: () => Saved) {
    this.#store = store;
    this.#state = state;
  }

  /** Runs listeners: a cursor is never saved before they have handled its event. */
  hold<Result>(run: () => Result): Result {
    this.#isHeld = true;
    const result = run();
    this.#isHeld = false;
    if (this.#isDue) this.save();
    return result;
  }

  saveSoon(): void {
    if (this.#store && !this.#isClosed) this.#timer ??= setTimeout(() => this.save(), saveIntervalMs);
  }

  save(): void {
    this.#isDue = this.#isHeld;
    if (this.#isHeld) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    try {
      this.#store?.save(this.#state());
    } catch (error) {
      // The queue goes on when `localStorage` is full, but the developer has to know.
      // biome-ignore lint/suspicious/noConsole: thrown instead, it would end a program in Node
      console.error('Gantry: the store failed, so nothing is saved', error);
    }
  }

  /** Saves what is still unsaved; later only `save` does. */
  close(): void {
    this.#isClosed = true;
    if (this.#timer !== undefined) this.save();
  }
}
