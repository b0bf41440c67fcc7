import { html } from 'htm/preact';

/**
 * A link to text that administrators or players wrote: http and https only; another becomes its text.
 * @param {string} href @param {import('preact').ComponentChildren} text
 */
export function link(href, text) {
  const url = URL.parse(href, location.href);
  if (url === null || !/^https?:$/.test(url.protocol)) return text;
  return html`<a href=${url.href} target="_blank" rel="noopener noreferrer">${text}</a>`;
}
