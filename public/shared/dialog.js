import { html } from 'htm/preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { Button } from './button.js';
import { Icon } from './icon.js';

/**
 * A modal dialog for as long as it is rendered: the browser keeps the focus in it, gives it back afterwards,
 * and closes it with Escape.
 * @param {{
 *   title: string,
 *   onClose: () => void,
 *   children?: import('preact').ComponentChildren,
 *   actions?: import('preact').ComponentChildren,
 * }} props `actions` are the buttons at its foot
 */
export function Dialog({ title, onClose, children, actions }) {
  const dialog = useRef(/** @type {HTMLDialogElement | null} */ (null));
  const titleId = useId();
  // At once, so that no key pressed in between goes to what is behind it.
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    return () => element?.close();
  }, []);
  /** @param {MouseEvent} event */
  const closeFromBackdrop = (event) => {
    if (event.target === dialog.current) onClose();
  };
  return html`
    <dialog class="dialog" ref=${dialog} aria-labelledby=${titleId} onCancel=${cancelWith(onClose)} onClick=${closeFromBackdrop}>
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
 * The dialog goes when it is no longer rendered, not by itself.
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
 * Asks before something that cannot be undone, and says what it does.
 * @param {{
 *   title: string,
 *   children?: import('preact').ComponentChildren,
 *   confirm: string,
 *   onConfirm: () => void,
 *   onClose: () => void,
 *   busy?: boolean,
 * }} props `confirm` is what the button says, a verb
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
