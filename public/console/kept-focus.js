import { useEffect } from 'preact/hooks';
import { focusableAncestors } from '../shared/dialog.js';

/**
 * Keeps the keyboard's focus within a view: when the element that has it is removed, such as the button of a row once the
 * list is loaded again, its nearest focusable ancestor that is still there gets it, or else the view.
 * @param {{ current: HTMLElement | null }} view
 */
export function useKeptFocus(view) {
  useEffect(() => {
    const element = view.current;
    if (element === null) return;
    /** @type {Element | null} */
    let focused = null;
    /** @type {readonly HTMLElement[]} */
    let fallbacks = [];
    const remember = (/** @type {FocusEvent} */ { target }) => {
      focused = /** @type {Element} */ (target);
      fallbacks = focusableAncestors(focused);
    };
    const removals = new MutationObserver(() => {
      if (focused === null || focused.isConnected || document.activeElement !== document.body) return;
      focused = null;
      fallbacks.find(({ isConnected }) => isConnected)?.focus({ preventScroll: true });
    });
    element.addEventListener('focusin', remember);
    removals.observe(element, { childList: true, subtree: true });
    return () => {
      element.removeEventListener('focusin', remember);
      removals.disconnect();
    };
  }, []);
}
