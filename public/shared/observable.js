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

/** How long a view may be rendered again and again, in milliseconds, before it rests. */
const burstMs = 250;

/**
 * Renders the component again whenever the observed object changes: at once, unless there are so many changes that
 * rendering them would keep the page from anything else; then half of the time, several together.
 * @param {Observable} observed
 */
export function useChanges(observed) {
  const [, rerender] = useState(0);
  /** `restedAt`: when the time that it took is made up for. */
  const pace = useRef({ startedAt: 0, restedAt: 0 });
  useLayoutEffect(() => {
    const { startedAt, restedAt } = pace.current;
    if (startedAt === 0) return; // rendered for another reason
    const now = performance.now();
    pace.current = { startedAt: 0, restedAt: Math.max(restedAt, startedAt) + 2 * (now - startedAt) };
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
      const rest = pace.current.restedAt - performance.now() - burstMs;
      if (rest > 0) timer = window.setTimeout(render, rest);
      else render();
    });
    return () => {
      clearTimeout(timer);
      unsubscribe();
    };
  }, [observed]);
}
