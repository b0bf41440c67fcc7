import { useState } from 'preact/hooks';
import { messageOf } from '../../shared/states.js';

/**
 * The action under way in a view, and why the last one failed.
 */
export function useAction() {
  const [busy, setBusy] = useState('');
  const [problem, setProblem] = useState('');
  /**
   * @param {string} what names the action, for `busy`
   * @param {() => Promise<unknown>} act
   * @returns {Promise<boolean>} whether it succeeded
   */
  const run = async (what, act) => {
    setBusy(what);
    setProblem('');
    try {
      await act();
      return true;
    } catch (error) {
      setProblem(messageOf(error));
      return false;
    } finally {
      setBusy('');
    }
  };
  return { busy, problem, run };
}
