import { html } from 'htm/preact';

/**
 * What a view is called, and what belongs beside it.
 * @param {{ title: string, children?: import('preact').ComponentChildren }} props
 */
export function PageHead({ title, children }) {
  return html`<header class="page-head"><h1>${title}</h1>${children}</header>`;
}
