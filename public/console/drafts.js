import { useLayoutEffect } from 'preact/hooks';
import { Observable } from '../shared/observable.js';

/**
 * Unsaved edits, which outlive the view they were made in, until the page is left; the browser asks before that.
 * They are in no storage: nothing of them stays in the browser.
 */
class Drafts extends Observable {
  /** @type {Map<string, unknown>} */
  #drafts = new Map();

  get size() {
    return this.#drafts.size;
  }

  /**
   * @param {string} key
   * @returns {unknown} undefined without one
   */
  get(key) {
    return this.#drafts.get(key);
  }

  /**
   * @param {string} key
   * @param {unknown} draft undefined removes it
   */
  set(key, draft) {
    if (draft === undefined) this.#drafts.delete(key);
    else this.#drafts.set(key, draft);
    this.changed();
  }

  clear() {
    this.#drafts.clear();
    this.changed();
  }
}

export const drafts = new Drafts();

addEventListener('beforeunload', (event) => {
  if (drafts.size > 0) event.preventDefault();
});

/**
 * Keeps what is edited as the draft of this key, for as long as there is something unsaved in it.
 * @param {string} key
 * @param {unknown} draft undefined: nothing is unsaved
 */
export function useDraft(key, draft) {
  // With the rendering: an effect that waits for the paint is left out when the view is left first.
  useLayoutEffect(() => drafts.set(key, draft));
}
