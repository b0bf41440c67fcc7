import { useState } from 'preact/hooks';
import { toast } from '../shared/toasts.js';
import { useAdmin } from './admin.js';

/**
 * Saves changes to a game for a form, and keeps why they were refused.
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
