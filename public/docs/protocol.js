import { html } from 'htm/preact';
import { Marked } from 'marked';
import { useEffect, useRef, useState } from 'preact/hooks';
import { ErrorState, Loading } from '../shared/states.js';

/** @typedef {{ id: string, text: string, depth: number }} Chapter */

/** The protocol of the socket: the very file the tests compare the server with. */
export function Protocol() {
  const [read, setRead] = useState(/** @type {{ body: string, chapters: Chapter[] } | null} */ (null));
  const [error, setError] = useState(/** @type {unknown} */ (null));
  const place = useRef(/** @type {HTMLElement | null} */ (null));
  const load = () => {
    setError(null);
    readProtocol().then(setRead, setError);
  };
  useEffect(load, []);
  useEffect(() => {
    // The browser looked for the chapter before it was there.
    if (read) place.current?.querySelector(`[id="${CSS.escape(location.hash.slice(1))}"]`)?.scrollIntoView();
  }, [read]);
  if (error) return html`<${ErrorState} error=${error} onRetry=${load} />`;
  if (!read) return html`<${Loading} label="Reading the protocol" />`;
  return html`
    <main class="protocol">
      <nav class="contents" aria-label="Chapters">
        <ol class="plain-list">
          ${read.chapters.map(
            ({ id, text, depth }) =>
              depth === 2 && html`<li key=${id}><a href="#${id}">${text.replaceAll('`', '')}</a></li>`,
          )}
        </ol>
      </nav>
      <article class="prose" ref=${place} dangerouslySetInnerHTML=${{ __html: read.body }}></article>
    </main>
  `;
}

/** @returns {Promise<{ body: string, chapters: Chapter[] }>} */
async function readProtocol() {
  const response = await fetch('/docs/protocol.md');
  if (!response.ok) throw new Error(`The server answered ${response.status}.`);
  /** @type {Chapter[]} */
  const chapters = [];
  const marked = new Marked({
    renderer: {
      heading({ tokens, text, depth }) {
        const id = `protocol-${text.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}`;
        chapters.push({ id, text, depth });
        return `<h${depth} id="${id}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      code({ text, lang }) {
        const name = lang ? ` aria-label="${lang}"` : '';
        return `<pre class="code" tabindex="0"${name}><code>${escaped(text)}</code></pre>\n`;
      },
      table(token) {
        const row = (/** @type {import('marked').Tokens.TableCell[]} */ cells, /** @type {string} */ tag) =>
          `<tr>${cells.map((cell) => `<${cell.text === '' ? 'td' : tag}>${this.parser.parseInline(cell.tokens)}</${cell.text === '' ? 'td' : tag}>`).join('')}</tr>`;
        return `<div class="table-scroll" tabindex="0"><table class="table"><thead>${row(token.header, 'th')}</thead>
          <tbody>${token.rows.map((cells) => row(cells, 'td')).join('')}</tbody></table></div>\n`;
      },
    },
  });
  const body = await marked.parse(await response.text());
  return { body, chapters };
}

/** @param {string} text */
function escaped(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
