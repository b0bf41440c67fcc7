import { html } from 'htm/preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Button } from './button.js';
import { Icon } from './icon.js';
import { messageOf } from './states.js';

/**
 * @typedef {{ id: number, kind: 'success' | 'error' | 'info', text: string }} Toast
 */

/** How long a toast stays, in milliseconds, and how much longer per character. */
const stayMs = 5_000;
const perCharacterMs = 40;
/** With more toasts than this, the oldest is dismissed. */
const maxToasts = 4;

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
 * Shows a toast, announced to screen readers.
 * @param {string} text
 * @param {Toast['kind']} [kind]
 */
export function toast(text, kind = 'info') {
  lastId += 1;
  show([...shown, { id: lastId, kind, text }].slice(-maxToasts));
}

/**
 * Shows an error as a toast, when the view has no better place for it.
 * @param {unknown} error
 */
export function toastError(error) {
  toast(messageOf(error), 'error');
}

/** @param {number} id */
function dismiss(id) {
  show(shown.filter((one) => one.id !== id));
}

/** Dismisses all toasts, for instance those meant for a player who has signed out. */
export function dismissAll() {
  show([]);
}

/** The region where toasts appear; once on a page. */
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
  const startTimer = () => {
    timer.current = window.setTimeout(() => dismiss(id), stayMs + text.length * perCharacterMs);
  };
  const stopTimer = () => clearTimeout(timer.current);
  useEffect(() => {
    startTimer();
    return stopTimer;
  }, []);
  return html`
    <div
      class="toast ${kind}"
      onMouseEnter=${stopTimer}
      onMouseLeave=${startTimer}
      onFocusIn=${stopTimer}
      onFocusOut=${startTimer}
    >
      <${Icon} name=${kind === 'error' ? 'alert' : kind === 'success' ? 'check' : 'bell'} />
      <p>${text}</p>
      <${Button} kind="plain" size="small" iconOnly label="Dismiss" onClick=${() => dismiss(id)}>
        <${Icon} name="close" />
      <//>
    </div>
  `;
}
