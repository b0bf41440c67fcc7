import { html } from 'htm/preact';
import { Button } from './button.js';
import { Icon } from './icon.js';
import { OutdatedPage } from './load-part.js';
import { exactTime } from './relative-time.js';

/**
 * The loading state.
 * @param {{ label?: string }} props
 */
export function Loading({ label = 'Loading' }) {
  return html`<div class="state" role="status"><span class="spinner"></span><span>${label}…</span></div>`;
}

/**
 * The loading state of a list: skeleton rows.
 * @param {{ rows?: number, label?: string }} props
 */
export function LoadingRows({ rows = 4, label = 'Loading' }) {
  return html`
    <div class="loading-rows" role="status">
      <span class="visually-hidden">${label}…</span>
      ${Array.from({ length: rows }, (_, index) => html`<div key=${index} class="skeleton"></div>`)}
    </div>
  `;
}

/**
 * The empty state, with a hint on how to fill it.
 * @param {{ icon?: import('./icon.js').IconName, title: string, children?: import('preact').ComponentChildren }} props
 */
export function Empty({ icon = 'search', title, children }) {
  return html`
    <div class="state">
      <${Icon} name=${icon} />
      <strong>${title}</strong>
      ${children}
    </div>
  `;
}

/**
 * The error state: the message, and a retry button when `onRetry` is given. An outdated page is loaded again instead.
 * @param {{ error: unknown, title?: string, onRetry?: (() => void) | undefined }} props
 */
export function ErrorState({ error, title = 'Could not load this', onRetry }) {
  const isOutdated = error instanceof OutdatedPage;
  const act = isOutdated ? () => location.reload() : onRetry;
  return html`
    <div class="state error" role="alert">
      <${Icon} name="alert" />
      <strong>${title}</strong>
      <p>${messageOf(error)}</p>
      ${act && html`<${Button} size="small" onClick=${act}><${Icon} name="refresh" />${isOutdated ? 'Reload' : 'Retry'}<//>`}
    </div>
  `;
}

/** A time in a message of the server. */
const isoTimes = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g;

/**
 * An error's message for people, with its times in their time zone.
 * @param {unknown} error
 * @returns {string}
 */
export function messageOf(error) {
  const message = error instanceof Error ? error.message : String(error);
  return message.replace(isoTimes, (time) => exactTime(Date.parse(time)));
}
