import { useRef, useState } from 'preact/hooks';
import { ApiError } from '../../shared/api.js';
import { toast } from '../../shared/toasts.js';
import { changedMeanwhile } from '../edit-conflicts.js';

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

/**
 * Saves a change of the version that a form shows. When someone else has made another one meanwhile, the form says so, and
 * the next attempt replaces that one.
 * @param {number | undefined} shown undefined in a form for something new
 * @returns {<Result>(save: (ifVersion: number | undefined) => Promise<Result>) => Promise<Result>}
 */
export function useVersion(shown) {
  const known = useRef(shown);
  return async (save) => {
    try {
      return await save(known.current);
    } catch (failed) {
      if (!(failed instanceof ApiError) || failed.version === undefined) throw failed;
      known.current = failed.version;
      throw new Error(changedMeanwhile);
    }
  };
}
