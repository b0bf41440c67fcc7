import { html } from 'htm/preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { Button } from './button.js';
import { Icon } from './icon.js';

/**
 * A modal dialog for as long as it is rendered: the browser traps the focus in it, restores it afterwards, and closes
 * the dialog with Escape. It opens with the focus on the element with `autofocus`, or else on its first field (but not on touch
 * screens, where that would open the keyboard) or the first button of its footer. If the focused element is removed, the
 * focus moves there too or, after closing, to the nearest focusable ancestor of the element that opened the dialog.
 * @param {{
 *   title: string,
 *   onClose: () => void,
 *   children?: import('preact').ComponentChildren,
 *   actions?: import('preact').ComponentChildren,
 *   stays?: boolean,
 * }} props `actions` are the buttons in its footer; a dialog that `stays` is closed only by a button, not by Escape or
 *   a click on the backdrop, so that its contents are not lost by accident
 */
export function Dialog({ title, onClose, children, actions, stays = false }) {
  const dialog = useRef(/** @type {HTMLDialogElement | null} */ (null));
  const focused = useRef(/** @type {Element | null} */ (null));
  const titleId = useId();
  // Before the paint, so that no key press reaches the page behind it.
  useLayoutEffect(() => {
    const element = dialog.current;
    const fallbacks = focusableAncestors(document.activeElement);
    element?.showModal();
    const isTouch = matchMedia('(pointer: coarse)').matches;
    focusFirst(element, isTouch ? [own, footer] : [own, field, footer]); // the browser focuses Close
    return () => {
      element?.close();
      // Deferred until the browser has restored the focus and elements removed together with the dialog are gone.
      setTimeout(() => {
        if (document.activeElement === document.body)
          fallbacks.find(({ isConnected }) => isConnected)?.focus();
      });
    };
  }, []);
  useLayoutEffect(() => {
    if (focused.current?.isConnected !== false) return;
    focused.current = null;
    focusFirst(dialog.current, [own, footer]);
  });
  /** @param {MouseEvent} event */
  const closeFromBackdrop = (event) => {
    if (event.target === dialog.current && !stays) onClose();
  };
  return html`
    <dialog
      class="dialog"
      ref=${dialog}
      aria-labelledby=${titleId}
      closedby=${stays ? 'none' : 'closerequest'}
      onCancel=${cancelWith(stays ? () => {} : onClose)}
      onClick=${closeFromBackdrop}
      onFocusIn=${(/** @type {FocusEvent} */ { target }) => {
        focused.current = /** @type {Element | null} */ (target);
      }}
    >
      <div class="dialog-head">
        <h2 id=${titleId}>${title}</h2>
        <${Button} kind="plain" iconOnly label="Close" onClick=${onClose}><${Icon} name="close" /><//>
      </div>
      <div class="dialog-body">${children}</div>
      ${actions && html`<div class="dialog-actions">${actions}</div>`}
    </dialog>
  `;
}

const own = '[autofocus]';
const field = '.dialog-body :is(input, select, textarea):enabled';
const footer = '.dialog-actions > button:last-of-type:enabled';

/**
 * @param {HTMLElement | null} dialog
 * @param {readonly string[]} selectors the first that matches is focused
 */
function focusFirst(dialog, selectors) {
  const found = selectors.map((one) => dialog?.querySelector(one)).find((one) => one != null);
  /** @type {HTMLElement | undefined} */ (found)?.focus();
}

/**
 * The focusable ancestors of an element, nearest first.
 * @param {Element | null} element
 */
export function focusableAncestors(element) {
  /** @type {HTMLElement[]} */
  const ancestors = [];
  for (let one = element?.parentElement; one; one = one.parentElement) {
    if (one.hasAttribute('tabindex')) ancestors.push(one);
  }
  return ancestors;
}

/**
 * The dialog closes when it is no longer rendered, not by itself.
 * @param {() => void} onClose
 * @returns {(event: Event) => void}
 */
function cancelWith(onClose) {
  return (event) => {
    event.preventDefault();
    onClose();
  };
}

/**
 * Asks for confirmation of an action, such as one that cannot be undone.
 * @param {{
 *   title: string,
 *   children?: import('preact').ComponentChildren,
 *   confirm: string,
 *   onConfirm: () => void,
 *   onClose: () => void,
 *   busy?: boolean,
 *   kind?: 'danger' | 'primary',
 * }} props `confirm` is the button's label, a verb; `kind` is `primary` when nothing is taken away
 */
export function ConfirmDialog({ title, children, confirm, onConfirm, onClose, busy, kind = 'danger' }) {
  return html`
    <${Dialog}
      title=${title}
      onClose=${onClose}
      actions=${html`
        <${Button} onClick=${onClose} autofocus>Cancel<//>
        <${Button} kind=${kind} busy=${busy} onClick=${onConfirm}>${confirm}<//>
      `}
    >
      ${children}
    <//>
  `;
}
