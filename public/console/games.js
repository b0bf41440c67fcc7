import { html } from 'htm/preact';
import { useState } from 'preact/hooks';
import { Button } from '../shared/button.js';
import { CopyButton } from '../shared/copy-button.js';
import { Icon } from '../shared/icon.js';
import { RelativeTime } from '../shared/relative-time.js';
import { Empty, ErrorState, LoadingRows } from '../shared/states.js';
import { useAdmin } from './admin.js';
import { Allowed } from './allowed.js';
import { CreateGame } from './create-game.js';
import { TextField } from './fields.js';
import { ListingBadge } from './listing-badge.js';
import { PageHead } from './page-head.js';
import { useQuery } from './queries.js';
import { goTo, linkTo } from './route.js';

/** The list of games, and the form for a new one. */
export function Games() {
  const admin = useAdmin();
  const { result, error, reload } = useQuery(() => admin.call('listGames', {}), []);
  const [creating, setCreating] = useState(false);
  const [search, setSearch] = useState('');
  const query = search.trim().toLowerCase();
  const games = result?.games.filter(({ name, slug, gameId }) =>
    [name, slug, gameId].some((text) => text.toLowerCase().includes(query)),
  );
  return html`
    <${PageHead} title="Games">
      <${Allowed} to="createGame"><${Button} kind="primary" onClick=${() => setCreating(true)}><${Icon} name="plus" />New game<//><//>
    <//>
    ${
      result === undefined
        ? error
          ? html`<${ErrorState} error=${error} onRetry=${reload} />`
          : html`<${LoadingRows} label="Loading games" />`
        : result.games.length === 0
          ? html`<${Empty} icon="game" title="No games yet"><p>Create a game to get its ID and secret.</p><//>`
          : html`
              ${result.games.length > 8 && html`<div class="search"><${TextField} label="Search games" hideLabel placeholder="Search games" type="search" value=${search} onValue=${setSearch} /></div>`}
              ${games?.length === 0 && html`<${Empty} title="No matching games" />`}
              <ul role="list" class="game-list">
                ${games?.map(
                  ({ gameId, slug, name, kind, url, listing, deleting, createdAt }) => html`
                    <li key=${gameId} class="card game-item">
                      <div class="game-item-text">
                        <h2><a href=${linkTo('games', slug)}>${name}</a></h2>
                        ${kind === 'launcher' && html`<span class="badge info">Launcher</span>`}
                        <${ListingBadge} listing=${listing} deleting=${deleting} />
                      </div>
                      <p class="quiet small truncate">${url || 'No URL'}</p>
                      <p class="quiet small id-line">
                        <span class="mono truncate">${gameId}</span>
                        <${CopyButton} text=${gameId} label="Copy ID of ${name}" />
                        <span>· created <${RelativeTime} at=${createdAt} /></span>
                      </p>
                    </li>
                  `,
                )}
              </ul>
            `
    }
    ${
      creating &&
      html`<${CreateGame} onClose=${() => setCreating(false)} onCreated=${reload} onOpen=${(/** @type {string} */ slug) => goTo('games', slug)} />`
    }
  `;
}
