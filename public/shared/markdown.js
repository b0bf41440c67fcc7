import { html } from 'htm/preact';
import { lexer } from 'marked';

/**
 * Markdown by administrators as elements. HTML in it is shown as text, and links lead to http and https only. Images are
 * shown when they are on this server, because the page's policy allows no others; otherwise as a link.
 * @param {{ text: string }} props
 */
export function Markdown({ text }) {
  return html`<div class="markdown">${blocks(lexer(text, { gfm: true, breaks: true }))}</div>`;
}

/**
 * @typedef {import('marked').Token} Token
 * @typedef {import('preact').ComponentChildren} Children
 */

/** @param {readonly Token[] | undefined} tokens @returns {Children} */
function blocks(tokens = []) {
  return tokens.map(block);
}

/** @param {Token} token @returns {Children} */
function block(token) {
  switch (token.type) {
    case 'space':
    case 'def':
      return null;
    case 'heading':
      // Below the item's own heading, whatever the level.
      return html`<p><strong>${inlines(token.tokens)}</strong></p>`;
    case 'code':
      return html`<pre tabindex="0"><code>${token.text}</code></pre>`;
    case 'blockquote':
      return html`<blockquote>${blocks(token.tokens)}</blockquote>`;
    case 'hr':
      return html`<hr />`;
    case 'list': {
      const items = token.items.map(
        (/** @type {Token & { tokens: Token[] }} */ item) => html`<li>${blocks(item.tokens)}</li>`,
      );
      return token.ordered ? html`<ol start=${token.start || 1}>${items}</ol>` : html`<ul>${items}</ul>`;
    }
    case 'paragraph':
      return html`<p>${inlines(token.tokens)}</p>`;
    case 'text':
      return token.tokens ? inlines(token.tokens) : token.text;
    default:
      return html`<p>${token.raw.trim()}</p>`;
  }
}

/** @param {readonly Token[] | undefined} tokens @returns {Children} */
function inlines(tokens = []) {
  return tokens.map(inline);
}

/** @param {Token} token @returns {Children} */
function inline(token) {
  switch (token.type) {
    case 'text':
      return token.tokens ? inlines(token.tokens) : token.text;
    case 'escape':
      return token.text;
    case 'strong':
      return html`<strong>${inlines(token.tokens)}</strong>`;
    case 'em':
      return html`<em>${inlines(token.tokens)}</em>`;
    case 'del':
      return html`<del>${inlines(token.tokens)}</del>`;
    case 'codespan':
      return html`<code>${token.text}</code>`;
    case 'br':
      return html`<br />`;
    case 'link':
      return link(token.href, inlines(token.tokens));
    case 'image':
      return URL.parse(token.href, location.href)?.origin === location.origin
        ? html`<img src=${token.href} alt=${token.text} loading="lazy" />`
        : link(token.href, `Image: ${token.text || token.href}`);
    default:
      return token.raw;
  }
}

/** @param {string} href @param {Children} text */
export function link(href, text) {
  const url = URL.parse(href, location.href);
  if (url === null || !/^https?:$/.test(url.protocol)) return text;
  return html`<a href=${url.href} target="_blank" rel="noopener noreferrer">${text}</a>`;
}
