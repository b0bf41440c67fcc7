import { defaultName, shortAddress } from 'gantry-names';
import { html } from 'htm/preact';
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { loadSearch } from '../docs/load-search.js';
import { Dialog } from '../shared/dialog.js';
import { Icon } from '../shared/icon.js';
import { messageOf } from '../shared/states.js';
import { useAdmin } from './admin.js';
import { linkTo } from './route.js';
import { useDebounced } from './use-debounced.js';

/** @typedef {import('../shared/icon.js').IconName} IconName */
/** @typedef {{ path: string, label: string, icon: IconName }} Page a section of the console */
/** @typedef {{ href: string, title: string, about: string, icon: IconName, isManual?: boolean }} Result */
/** @typedef {{ title: string, results: readonly Result[], problem: string }} Group */

/** Of each kind. */
const maxResults = 6;

/**
 * Searches the console's pages, games, players and the manual. The arrow keys select a result and Enter opens it; the
 * focus stays in the field.
 * @param {{ pages: readonly Page[], onClose: () => void }} props
 */
export function SearchDialog({ pages, onClose }) {
  const [text, setText] = useState('');
  const [selected, setSelected] = useState('');
  const query = text.trim();
  const asked = useDebounced(query, 150);
  const games = useFound(asked, 'listGames', async (admin) =>
    (await admin.call('listGames', {})).games
      .filter(({ name, slug, gameId }) => [name, slug, gameId].some(containing(asked)))
      .map(({ name, slug }) => ({ href: linkTo('games', slug), title: name, about: slug, icon: 'game' })),
  );
  const players = useFound(asked, 'listPlayers', async (admin) =>
    (await admin.call('listPlayers', { search: asked, limit: maxResults })).data.map(
      ({ wallet, username }) => ({
        href: linkTo('players', wallet),
        title: username || defaultName(wallet),
        about: shortAddress(wallet),
        icon: 'people',
      }),
    ),
  );
  const manual = useFound(asked, null, async () =>
    (await loadSearch())(asked).map(({ address, title, page }) => ({
      href: address,
      title,
      about: title === page ? 'opens in a new tab' : `${page} · opens in a new tab`,
      icon: 'list',
      isManual: true,
    })),
  );
  /** @type {Result[]} */
  const matching = pages
    .filter(({ label }) => containing(query)(label))
    .map(({ path, label, icon }) => ({
      href: linkTo(...(path ? [path] : [])),
      title: label,
      about: '',
      icon,
    }));
  /** @type {readonly Group[]} */
  const groups = [
    { title: 'Console', results: matching, problem: '' },
    { title: 'Games', ...games },
    { title: 'Players', ...players },
    { title: 'Manual', ...manual },
  ].filter(({ results, problem }) => results.length > 0 || problem !== '');
  const all = groups.flatMap(({ results }) => results);
  const at = Math.max(
    0,
    all.findIndex(({ href }) => href === selected),
  );
  const id = useId();
  const idOf = (/** @type {Result | undefined} */ result) => result && `${id}-${all.indexOf(result)}`;
  const list = useRef(/** @type {HTMLElement | null} */ (null));
  const active = () => list.current?.querySelector('[aria-selected="true"]');
  useLayoutEffect(() => active()?.scrollIntoView({ block: 'nearest' }), [all[at]?.href]);

  /** @param {KeyboardEvent} event */
  const move = (event) => {
    if (event.key === 'Enter') {
      event.preventDefault();
      /** @type {HTMLElement | null | undefined} */ (active())?.click();
    }
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined || all.length === 0) return;
    event.preventDefault();
    setSelected(all[(at + step + all.length) % all.length]?.href ?? '');
  };
  /** @param {InputEvent & { currentTarget: HTMLInputElement }} event */
  const ask = ({ currentTarget }) => {
    setText(currentTarget.value);
    setSelected('');
  };
  const isComplete = query === asked && [games, players, manual].every(({ isLoading }) => !isLoading);
  return html`
    <${Dialog} title="Search" onClose=${onClose}>
      <div class="search-dialog">
        <input
          class="input"
          role="combobox"
          autofocus
          aria-label="Search games, players, pages and the manual"
          placeholder="Games, players, pages, the manual"
          aria-expanded=${all.length > 0 ? 'true' : 'false'}
          aria-controls="${id}-list"
          aria-activedescendant=${idOf(all[at])}
          autocomplete="off"
          spellcheck=${false}
          maxlength=${100}
          value=${text}
          onInput=${ask}
          onKeyDown=${move}
        />
        <p class="visually-hidden" role="status">${isComplete ? `${all.length} ${all.length === 1 ? 'result' : 'results'}` : ''}</p>
        <div class="found" role="listbox" id="${id}-list" aria-label="Results" ref=${list}>
          ${groups.map(
            ({ title, results }) => html`
              <div key=${title} role="group" aria-label=${title} hidden=${results.length === 0}>
                <p class="quiet small" aria-hidden="true">${title}</p>
                ${results.map(
                  (result) => html`
                    <a
                      key=${result.href}
                      id=${idOf(result)}
                      role="option"
                      tabindex="-1"
                      aria-selected=${result === all[at] ? 'true' : 'false'}
                      href=${result.href}
                      target=${result.isManual ? '_blank' : undefined}
                      onClick=${onClose}
                    >
                      <${Icon} name=${result.icon} />
                      <span class="truncate">${result.title}</span>
                      <span class="quiet small truncate">${result.about}</span>
                    </a>
                  `,
                )}
              </div>
            `,
          )}
        </div>
        ${groups.map(({ title, problem }) => problem && html`<p class="bad small" key=${title} role="alert">${title}: ${problem}</p>`)}
        ${isComplete && all.length === 0 && html`<p class="quiet">Nothing found.</p>`}
      </div>
    <//>
  `;
}

/**
 * The results of one kind for the last question; those of the question before remain until then.
 * @param {string} asked
 * @param {import('./admin.js').OperationName | null} needs what the role must be allowed to call
 * @param {(admin: import('./admin.js').Admin) => Promise<readonly Result[]>} find
 */
function useFound(asked, needs, find) {
  const admin = useAdmin();
  const [found, setFound] = useState({
    asked: '',
    results: /** @type {readonly Result[]} */ ([]),
    problem: '',
  });
  const isPossible = asked !== '' && (needs === null || admin.may(needs));
  useEffect(() => {
    if (!isPossible) return;
    let isCurrent = true;
    find(admin).then(
      (results) => isCurrent && setFound({ asked, results: results.slice(0, maxResults), problem: '' }),
      (error) => isCurrent && setFound({ asked, results: [], problem: messageOf(error) }),
    );
    return () => {
      isCurrent = false;
    };
  }, [asked, isPossible]);
  if (!isPossible) return { results: [], problem: '', isLoading: false };
  return { results: found.results, problem: found.problem, isLoading: found.asked !== asked };
}

/**
 * @param {string} part
 * @returns {(text: string) => boolean}
 */
function containing(part) {
  return (text) => text.toLowerCase().includes(part.toLowerCase());
}
