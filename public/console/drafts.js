import { useLayoutEffect, useState } from 'preact/hooks';
import { Observable } from '../shared/observable.js';

/**
 * The key of what is edited in a tab of a game.
 * @param {string} gameId
 * @param {string} tab its path
 * @param {string} part what is edited there
 */
export const draftKey = (gameId, tab, part) => `${gameId} ${tab} ${part}`;

/**
 * Unsaved edits, which outlive their view until the page is left, for which the browser asks for confirmation.
 * They are never written to browser storage.
 */
class Drafts extends Observable {
  /** @type {Map<string, unknown>} */
  #drafts = new Map();

  get size() {
    return this.#drafts.size;
  }

  /** Whether a tab of a game has unsaved edits. @param {string} gameId @param {string} tab its path */
  isUnsaved(gameId, tab) {
    return [...this.#drafts.keys()].some((key) => key.startsWith(draftKey(gameId, tab, '')));
  }

  /**
   * @param {string} key
   * @returns {unknown} undefined when there is none
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
 * Stores unsaved edits as the draft of this key.
 * @param {string} key
 * @param {unknown} draft undefined when there are no unsaved edits
 */
export function useDraft(key, draft) {
  // A layout effect: one that runs after the paint would be skipped if the view is left first.
  useLayoutEffect(() => drafts.set(key, draft));
}

/**
 * The fields of a form in a dialog. What was typed is a draft until the form is saved or closed: it is still there when
 * the view was left meanwhile, as with the browser's back button.
 * @template {object} Typed
 * @param {string} key
 * @param {Typed} shown what the fields show at first
 * @param {() => void} onClose
 */
export function useFormDraft(key, shown, onClose) {
  const [before] = useState(shown);
  const [typed, setTyped] = useState(() => /** @type {Typed | undefined} */ (drafts.get(key)) ?? shown);
  const fields = /** @type {(keyof Typed)[]} */ (Object.keys(before));
  const isChanged = fields.some((field) => typed[field] !== before[field]);
  useDraft(key, isChanged ? typed : undefined);
  /**
   * What takes a field's new value.
   * @template {keyof Typed} Field
   * @param {Field} field
   * @returns {(value: Typed[Field]) => void}
   */
  const edit = (field) => (value) => setTyped((latest) => ({ ...latest, [field]: value }));
  const close = () => {
    drafts.set(key, undefined);
    onClose();
  };
  /** Empties the fields of a dialog that stays open once it is saved. */
  const clear = () => setTyped(before);
  return { typed, edit, isChanged, clear, close };
}
