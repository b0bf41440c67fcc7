import { html, render } from 'htm/preact';
import { CopyButton } from '../shared/copy-button.js';
import { Icon } from '../shared/icon.js';
import { SiteHeader } from '../shared/site-header.js';
import { Search } from './search.js';
import { homeAddress } from './site.js';

/** The header of every page of the manual; on narrow screens it opens the menu. */
function ManualHeader() {
  return html`
    <${SiteHeader} title="Manual" home=${homeAddress}>
      <${Search} />
      <button type="button" class="button plain icon-only menu-button" popovertarget="manual-menu" aria-label="Menu" title="Menu">
        <${Icon} name="list" />
      </button>
    <//>
  `;
}

const header = document.getElementById('header');
if (header) render(html`<${ManualHeader} />`, header);

for (const snippet of document.querySelectorAll('.snippet')) {
  const text = snippet.textContent ?? '';
  const place = document.createElement('div');
  place.className = 'snippet-copy';
  snippet.append(place);
  render(html`<${CopyButton} text=${text} label="Copy this block" />`, place);
}

// A reader's language is chosen once for all examples, and kept.
const languageKey = 'gantry:language';
/** @param {string | null} language */
const showLanguage = (language) => {
  for (const choice of document.querySelectorAll(`.alternatives input`)) {
    if (choice instanceof HTMLInputElement && choice.value === language) choice.checked = true;
  }
};
showLanguage(localStorage.getItem(languageKey));
document.addEventListener('change', ({ target }) => {
  if (!(target instanceof HTMLInputElement && target.closest('.alternatives'))) return;
  localStorage.setItem(languageKey, target.value);
  showLanguage(target.value);
});

// Scrolls the menu to the current page.
const menu = document.querySelector('.manual-menu');
const current = menu?.querySelector('[aria-current]');
if (menu && current instanceof HTMLElement) menu.scrollTop = current.offsetTop - menu.clientHeight / 2;
