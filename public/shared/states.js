import { html } from 'htm/preact';
import { Button } from './button.js';
import { Icon } from './icon.js';

/**
 * Something is on its way.
 * @param {{ label?: string }} props
 */
export function Loading({ label = 'Loading' }) {
  return html`<div class="state" role="status"><span class="spinner"></span><span>${label}…</span></div>`;
}

/**
 * Rows that are on their way, where their number and height are known.
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
 * There is nothing yet, and what would bring something.
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
 * Something failed: what, in words, and a way to try again where there is one.
 * @param {{ error: unknown, title?: string, onRetry?: (() => void) | undefined }} props
 */
export function ErrorState({ error, title = 'This could not be loaded', onRetry }) {
  return html`
    <div class="state error" role="alert">
      <${Icon} name="alert" />
      <strong>${title}</strong>
      <p>${messageOf(error)}</p>
      ${onRetry && html`<${Button} size="small" onClick=${onRetry}><${Icon} name="refresh" />Try again<//>`}
    </div>
  `;
}

/**
 * What to tell people of an error.
 * @param {unknown} error
 * @returns {string}
 */
export function messageOf(error) {
  return error instanceof Error ? error.message : String(error);
}
