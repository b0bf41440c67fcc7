import { html } from 'htm/preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Button } from './button.js';
import { Icon } from './icon.js';

/**
 * @typedef {{ id: number, kind: 'success' | 'error' | 'info', text: string }} Toast
 */

/** How long a toast stays, in milliseconds, and how much longer for each character to be read. */
const stayMs = 5_000;
const perCharacterMs = 40;
/** More at once would be a wall; the oldest goes. */
const mostShown = 4;

/** @type {Toast[]} */
let shown = [];
let lastId = 0;
/** @type {Set<(toasts: Toast[]) => void>} */
const listeners = new Set();

/** @param {Toast[]} toasts */
function show(toasts) {
  shown = toasts;
  for (const listener of listeners) listener(shown);
}

/**
 * Says something in passing, in the corner and to screen readers.
 * @param {string} text
 * @param {Toast['kind']} [kind]
 */
export function toast(text, kind = 'info') {
  lastId += 1;
  show([...shown, { id: lastId, kind, text }].slice(-mostShown));
}

/** @param {number} id */
function dismiss(id) {
  show(shown.filter((one) => one.id !== id));
}

/** Where toasts appear; once on a page. */
export function ToastRegion() {
  const [toasts, setToasts] = useState(shown);
  useEffect(() => {
    listeners.add(setToasts);
    return () => void listeners.delete(setToasts);
  }, []);
  return html`
    <section class="toasts" aria-label="Notifications" aria-live="polite" aria-relevant="additions">
      ${toasts.map((one) => html`<${ToastCard} key=${one.id} ...${one} />`)}
    </section>
  `;
}

/** @param {Toast} props */
function ToastCard({ id, kind, text }) {
  const timer = useRef(0);
  const leaveLater = () => {
    timer.current = window.setTimeout(() => dismiss(id), stayMs + text.length * perCharacterMs);
  };
  const stay = () => clearTimeout(timer.current);
  useEffect(() => {
    leaveLater();
    return stay;
  }, []);
  return html`
    <div
      class="toast ${kind}"
      onMouseEnter=${stay}
      onMouseLeave=${leaveLater}
      onFocusIn=${stay}
      onFocusOut=${leaveLater}
    >
      <${Icon} name=${kind === 'error' ? 'alert' : kind === 'success' ? 'check' : 'bell'} />
      <p>${text}</p>
      <${Button} kind="plain" size="small" iconOnly label="Dismiss" onClick=${() => dismiss(id)}>
        <${Icon} name="close" />
      <//>
    </div>
  `;
}
