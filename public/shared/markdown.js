import { html } from 'htm/preact';
import { lexer } from 'marked';
import { link } from './link.js';
import { Picture } from './picture.js';

/**
 * Markdown by administrators as elements. HTML in it is shown as text, and links lead to http and https only.
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
      return html`<${Picture} src=${token.href} alt=${token.text} text="Image: ${token.text || token.href}" />`;
    default:
      return token.raw;
  }
}
