import { html } from 'htm/preact';
import { useRef, useState } from 'preact/hooks';
import { toast } from '../shared/toasts.js';
import { useAdmin } from './admin.js';

/** In place of the button that saves. */
export const noPermission = html`<p class="quiet small">Your role cannot change settings.</p>`;

/** @typedef {import('./admin.js').Input<'updateGame'>} Settings */

/**
 * Saves a form's changes to a game, and provides the error when they are rejected.
 * @param {() => void} onSaved
 */
export function useSaveGame(onSaved) {
  const admin = useAdmin();
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState(/** @type {unknown} */ (null));
  const saved = useRef(/** @type {Settings | null} */ (null));
  /**
   * @param {() => Settings} given all settings of the form
   * @returns {(event: Event) => Promise<void>}
   */
  const save = (given) => {
    saved.current ??= given();
    const before = saved.current;
    return async (event) => {
      event.preventDefault();
      setBusy(true);
      setError(null);
      try {
        const now = given();
        await admin.call('updateGame', changesOf(before, now));
        saved.current = now;
        toast('Saved', 'success');
        onSaved();
      } catch (failed) {
        setError(failed);
      }
      setBusy(false);
    };
  };
  return { busy, error, save };
}

/**
 * The settings that were changed: the others may have been changed by someone else since the form was opened.
 * @param {Settings} before
 * @param {Settings} now
 * @returns {Settings}
 */
function changesOf(before, now) {
  const { policies } = now;
  return {
    ...changedFields(before, now),
    gameId: now.gameId,
    policies: policies && changedFields(before.policies ?? {}, policies),
  };
}

/**
 * The fields of `now` whose values differ from those before.
 * @template {object} Values
 * @param {object} before
 * @param {Values} now
 * @returns {Partial<Values>}
 */
export function changedFields(before, now) {
  const known = new Map(Object.entries(before));
  const isChanged = (/** @type {[string, unknown]} */ [name, value]) =>
    JSON.stringify(value) !== JSON.stringify(known.get(name));
  return /** @type {Partial<Values>} */ (Object.fromEntries(Object.entries(now).filter(isChanged)));
}
