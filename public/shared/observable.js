import { useLayoutEffect, useRef, useState } from 'preact/hooks';

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
 * Renders the component again whenever the observed object changes: at once, unless that is as soon after the last
 * rendering as that one took. So many changes at once do not keep the page from handling them.
 * @param {Observable} observed
 */
export function useChanges(observed) {
  const [, rerender] = useState(0);
  const pace = useRef({ startedAt: 0, restsUntil: 0 });
  useLayoutEffect(() => {
    const { startedAt } = pace.current;
    if (startedAt === 0) return; // rendered for another reason
    const now = performance.now();
    pace.current = { startedAt: 0, restsUntil: now + (now - startedAt) };
  });
  // A layout effect subscribes with the rendering; changes before an effect after the paint would be missed.
  useLayoutEffect(() => {
    let timer = 0;
    const render = () => {
      timer = 0;
      pace.current.startedAt = performance.now();
      rerender((count) => count + 1);
    };
    const unsubscribe = observed.onChange(() => {
      if (timer !== 0) return;
      const rest = pace.current.restsUntil - performance.now();
      if (rest > 0) timer = window.setTimeout(render, rest);
      else render();
    });
    return () => {
      clearTimeout(timer);
      unsubscribe();
    };
  }, [observed]);
}
