import { useLayoutEffect, useState } from 'preact/hooks';

/** Something whose changes views follow. */
export class Observable {
  /** @type {Set<() => void>} */
  #listeners = new Set();
  #told = true;

  /**
   * Calls the listener after each change, once for those of one turn. Returns how to stop.
   * @param {() => void} listener
   * @returns {() => void}
   */
  onChange(listener) {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** To be called by what is observed, when it has changed. */
  changed() {
    if (!this.#told) return;
    this.#told = false;
    queueMicrotask(() => {
      this.#told = true;
      for (const listener of this.#listeners) listener();
    });
  }
}

/**
 * Renders the component again whenever the observed object changes.
 * @param {Observable} observed
 */
export function useChanges(observed) {
  const [, again] = useState(0);
  // At once with the rendering: what changed before an effect that waits for the paint would never be shown.
  useLayoutEffect(() => observed.onChange(() => again((count) => count + 1)), [observed]);
}
