import { useLayoutEffect, useState } from 'preact/hooks';

/** An object whose changes views subscribe to. */
export class Observable {
  /** @type {Set<() => void>} */
  #listeners = new Set();
  #notified = true;

  /**
   * Calls the listener after each change; changes in the same turn are coalesced. Returns an unsubscribe function.
   * @param {() => void} listener
   * @returns {() => void}
   */
  onChange(listener) {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Notifies listeners; subclasses call this after each change. */
  changed() {
    if (!this.#notified) return;
    this.#notified = false;
    queueMicrotask(() => {
      this.#notified = true;
      for (const listener of this.#listeners) listener();
    });
  }
}

/**
 * Renders the component again whenever the observed object changes.
 * @param {Observable} observed
 */
export function useChanges(observed) {
  const [, rerender] = useState(0);
  // A layout effect subscribes with the rendering; changes before an effect after the paint would be missed.
  useLayoutEffect(() => observed.onChange(() => rerender((count) => count + 1)), [observed]);
}
