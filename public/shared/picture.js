import { html } from 'htm/preact';
import { useState } from 'preact/hooks';
import { link } from './link.js';

/**
 * A picture on this server. One elsewhere, which the page's policy does not allow because its host would learn who sees
 * it, and one that cannot be loaded, are links.
 * @param {{ src: string, alt: string, text: string, class?: string }} props `text`: of the link
 */
export function Picture({ src, alt, text, ...rest }) {
  const [failed, setFailed] = useState(false);
  const isHere = URL.parse(src, location.href)?.origin === location.origin;
  if (!isHere || failed) return link(src, text);
  return html`<img src=${src} alt=${alt} loading="lazy" onError=${() => setFailed(true)} ...${rest} />`;
}
