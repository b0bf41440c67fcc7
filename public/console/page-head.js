import { html } from 'htm/preact';

/**
 * A view's heading, with its actions beside it.
 * @param {{ title: string, children?: import('preact').ComponentChildren }} props
 */
export function PageHead({ title, children }) {
  return html`<header class="page-head"><h1>${title}</h1>${children}</header>`;
}
