import { useState } from 'preact/hooks';
import { toast } from '../../shared/toasts.js';

/**
 * Submits a form once at a time, and provides the error when it is rejected.
 * @param {() => Promise<string>} act makes the call and returns the text of the toast
 * @param {() => void} onDone
 */
export function useSubmit(act, onDone) {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState(/** @type {unknown} */ (null));
  /** @param {Event} event */
  const submit = async (event) => {
    event.preventDefault();
    setBusy(true);
    setError(null);
    try {
      toast(await act(), 'success');
      onDone();
    } catch (failed) {
      setError(failed);
    }
    setBusy(false);
  };
  return { busy, error, submit };
}
