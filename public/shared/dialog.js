import { html } from 'htm/preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { Button } from './button.js';
import { Icon } from './icon.js';

/**
 * A modal dialog for as long as it is rendered: the browser keeps the focus in it, gives it back afterwards,
 * and closes it with Escape. Where what had the focus is gone, it goes to a button of the footer, and afterwards to what the
 * dialog was opened from.
 * @param {{
 *   title: string,
 *   onClose: () => void,
 *   children?: import('preact').ComponentChildren,
 *   actions?: import('preact').ComponentChildren,
 *   stays?: boolean,
 * }} props `actions` are the buttons in its footer; what is lost with a dialog that `stays` is lost by a button only, not
 *   by Escape or a click beside it
 */
export function Dialog({ title, onClose, children, actions, stays = false }) {
  const dialog = useRef(/** @type {HTMLDialogElement | null} */ (null));
  const focused = useRef(/** @type {Element | null} */ (null));
  const titleId = useId();
  // Before the paint, so that no key press reaches the page behind it.
  useLayoutEffect(() => {
    const element = dialog.current;
    const places = focusableAround(document.activeElement);
    element?.showModal();
    return () => {
      element?.close();
      // The browser has given the focus back by then, and what is removed together with the dialog is gone.
      setTimeout(() => {
        if (document.activeElement === document.body) places.find(({ isConnected }) => isConnected)?.focus();
      });
    };
  }, []);
  useLayoutEffect(() => {
    if (focused.current?.isConnected !== false) return;
    focused.current = null;
    /** @type {HTMLElement | null | undefined} */ (
      dialog.current?.querySelector('.dialog-actions button:enabled')
    )?.focus();
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

/**
 * What takes the focus around an element, the nearest first.
 * @param {Element | null} element
 */
function focusableAround(element) {
  /** @type {HTMLElement[]} */
  const around = [];
  for (let one = element?.parentElement; one; one = one.parentElement) {
    if (one.hasAttribute('tabindex')) around.push(one);
  }
  return around;
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
 * Asks for confirmation of an action that cannot be undone.
 * @param {{
 *   title: string,
 *   children?: import('preact').ComponentChildren,
 *   confirm: string,
 *   onConfirm: () => void,
 *   onClose: () => void,
 *   busy?: boolean,
 * }} props `confirm` is the button's label, a verb
 */
export function ConfirmDialog({ title, children, confirm, onConfirm, onClose, busy }) {
  return html`
    <${Dialog}
      title=${title}
      onClose=${onClose}
      actions=${html`
        <${Button} onClick=${onClose} autofocus>Cancel<//>
        <${Button} kind="danger" busy=${busy} onClick=${onConfirm}>${confirm}<//>
      `}
    >
      ${children}
    <//>
  `;
}
