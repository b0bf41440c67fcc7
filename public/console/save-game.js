import { html } from 'htm/preact';
import { useState } from 'preact/hooks';
import { toast } from '../shared/toasts.js';
import { useAdmin } from './admin.js';

/** In place of the button that saves. */
export const noPermission = html`<p class="quiet small">Your role cannot change settings.</p>`;

/**
 * Saves a form's changes to a game, and provides the error when they are rejected.
 * @param {() => void} onSaved
 */
export function useSaveGame(onSaved) {
  const admin = useAdmin();
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState(/** @type {unknown} */ (null));
  /**
   * @param {() => import('./admin.js').Input<'updateGame'>} given
   * @returns {(event: Event) => Promise<void>}
   */
  const save = (given) => async (event) => {
    event.preventDefault();
    setBusy(true);
    setError(null);
    try {
      await admin.call('updateGame', given());
      toast('Saved', 'success');
      onSaved();
    } catch (failed) {
      setError(failed);
    }
    setBusy(false);
  };
  return { busy, error, save };
}
