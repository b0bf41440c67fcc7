import { html } from 'htm/preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Icon } from '../shared/icon.js';
import { useMedia } from '../shared/use-media.js';
import { loadSearch } from './load-search.js';

/** @typedef {import('./find-entries.js').SearchEntry} SearchEntry */

const maxResults = 12;

/**
 * Searches all pages of the manual: headings, text, and the names of reasons, settings and operations. The keys / and
 * Ctrl+K lead to it.
 */
export function Search() {
  const [query, setQuery] = useState('');
  const [found, setFound] = useState(/** @type {readonly SearchEntry[] | null} */ (null));
  const [error, setError] = useState('');
  const form = useRef(/** @type {HTMLFormElement | null} */ (null));
  const field = useRef(/** @type {HTMLInputElement | null} */ (null));
  const hasRoom = useMedia('(width >= 40rem)');

  useEffect(() => {
    if (query.trim() === '') {
      setFound(null);
      return;
    }
    let isCurrent = true;
    loadSearch().then(
      (find) => {
        if (!isCurrent) return;
        setError('');
        setFound(find(query));
      },
      (/** @type {Error} */ { message }) => isCurrent && setError(message),
    );
    return () => {
      isCurrent = false;
    };
  }, [query]);

  useEffect(() => {
    /** @param {KeyboardEvent} event */
    const focusOnKey = (event) => {
      const isTyping = event.target instanceof Element && event.target.closest('input, textarea, select');
      const isSlash = event.key === '/' && !isTyping && !event.ctrlKey && !event.metaKey;
      const isShortcut = event.key === 'k' && (event.ctrlKey || event.metaKey);
      if (event.altKey || !(isSlash || isShortcut)) return;
      event.preventDefault();
      field.current?.focus();
    };
    /** @param {Event} event */
    const closeOutside = ({ target }) => {
      if (target instanceof Node && !form.current?.contains(target)) setQuery('');
    };
    addEventListener('keydown', focusOnKey);
    addEventListener('pointerdown', closeOutside);
    return () => {
      removeEventListener('keydown', focusOnKey);
      removeEventListener('pointerdown', closeOutside);
    };
  }, []);

  /** @param {KeyboardEvent} event */
  const move = (event) => {
    if (event.key === 'Escape') {
      setQuery('');
      field.current?.focus();
      return;
    }
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const links = [...(form.current?.querySelectorAll('a') ?? [])];
    const at = links.indexOf(/** @type {HTMLAnchorElement} */ (document.activeElement)) + step;
    if (at < 0) field.current?.focus();
    else links[at]?.focus();
  };
  /** @param {SubmitEvent} event */
  const openFirst = (event) => {
    event.preventDefault();
    form.current?.querySelector('a')?.click();
  };
  const close = () => setQuery('');

  return html`
    <form class="search" role="search" ref=${form} onKeyDown=${move} onSubmit=${openFirst}>
      <${Icon} name="search" />
      <input
        ref=${field}
        class="input"
        type="search"
        placeholder=${hasRoom ? 'Search (Ctrl+K)' : 'Search'}
        aria-label="Search the manual"
        autocomplete="off"
        spellcheck=${false}
        value=${query}
        onFocus=${loadSearch}
        onInput=${(/** @type {InputEvent} */ { target }) => target instanceof HTMLInputElement && setQuery(target.value)}
      />
      <span class="visually-hidden" role="status">${found ? `${found.length} results` : ''}</span>
      ${
        (found || error) &&
        html`<div class="search-results">
          ${error && html`<p class="quiet">The search cannot be loaded: ${error}</p>`}
          ${found?.length === 0 && html`<p class="quiet">Nothing found.</p>`}
          <ul class="plain-list">
            ${found?.slice(0, maxResults).map(
              ({ address, page, title, text }) => html`
                <li key=${address}>
                  <a href=${address} onClick=${close}>
                    <strong>${title}</strong><span class="quiet small">${page}</span>
                    <span class="excerpt small">${text.slice(0, 160)}</span>
                  </a>
                </li>
              `,
            )}
          </ul>
        </div>`
      }
    </form>
  `;
}
