import { html } from 'htm/preact';
import { useLayoutEffect, useState } from 'preact/hooks';
import { Button } from '../shared/button.js';
import { Icon } from '../shared/icon.js';
import { loadPart, OutdatedPage } from '../shared/load-part.js';
import { toast } from '../shared/toasts.js';

/**
 * Opens the console's search, also by Ctrl+K. Its dialog is loaded at first use.
 * @param {{ pages: readonly import('./search-dialog.js').Page[] }} props `pages`: those that the administrator may see
 */
export function SearchButton({ pages }) {
  const [isOpen, setOpen] = useState(false);
  const [loaded, setLoaded] = useState(/** @type {typeof import('./search-dialog.js') | null} */ (null));
  const open = async () => {
    setOpen(true);
    try {
      setLoaded(await loadPart(() => import('./search-dialog.js')));
    } catch (error) {
      setOpen(false);
      const isOutdated = error instanceof OutdatedPage;
      toast(isOutdated ? error.message : 'The search cannot be loaded. Is the server reachable?', 'error');
    }
  };
  // Before anything is seen, so that no key is missed.
  useLayoutEffect(() => {
    /** @param {KeyboardEvent} event */
    const openOnKey = (event) => {
      const isShortcut =
        event.key === 'k' && (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey;
      if (!isShortcut || event.defaultPrevented || document.querySelector('dialog[open]')) return;
      event.preventDefault();
      open();
    };
    addEventListener('keydown', openOnKey);
    return () => removeEventListener('keydown', openOnKey);
  }, []);
  return html`
    <${Button} kind="plain" label="Search (Ctrl+K)" aria-haspopup="dialog" onClick=${open}><${Icon} name="search" /><span class="wide-only">Search</span><//>
    ${isOpen && loaded && html`<${loaded.SearchDialog} pages=${pages} onClose=${() => setOpen(false)} />`}
  `;
}
