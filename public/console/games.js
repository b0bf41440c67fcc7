import { html } from 'htm/preact';
import { useState } from 'preact/hooks';
import { Button } from '../shared/button.js';
import { CopyButton } from '../shared/copy-button.js';
import { Icon } from '../shared/icon.js';
import { RelativeTime } from '../shared/relative-time.js';
import { Empty, ErrorState, LoadingRows } from '../shared/states.js';
import { useAdmin } from './admin.js';
import { useAnswer } from './answers.js';
import { CreateGame } from './create-game.js';
import { TextField } from './fields.js';
import { PageHead } from './page-head.js';
import { goTo, linkTo } from './route.js';

/** The games there are, and the way to a new one. */
export function Games() {
  const admin = useAdmin();
  const { answer, error, reload } = useAnswer(() => admin.call('listGames', {}), []);
  const [creating, setCreating] = useState(false);
  const [search, setSearch] = useState('');
  const wanted = search.trim().toLowerCase();
  const games = answer?.games.filter(({ name, slug, gameId }) =>
    [name, slug, gameId].some((text) => text.toLowerCase().includes(wanted)),
  );
  return html`
    <${PageHead} title="Games">
      <${Button} kind="primary" onClick=${() => setCreating(true)}><${Icon} name="plus" />New game<//>
    <//>
    ${
      answer === undefined
        ? error
          ? html`<${ErrorState} error=${error} onRetry=${reload} />`
          : html`<${LoadingRows} label="Loading the games" />`
        : answer.games.length === 0
          ? html`<${Empty} icon="game" title="No games yet"><p>A game gets an id and a secret, and can call at once.</p><//>`
          : html`
              ${answer.games.length > 8 && html`<div class="search"><${TextField} label="Find a game" hideLabel placeholder="Find a game" type="search" value=${search} onValue=${setSearch} /></div>`}
              ${games?.length === 0 && html`<${Empty} title="No game is called so" />`}
              <ul role="list" class="game-list">
                ${games?.map(
                  ({ gameId, slug, name, kind, url, createdAt }) => html`
                    <li key=${gameId} class="card game-item">
                      <div class="game-item-text">
                        <h2><a href=${linkTo('games', slug)}>${name}</a></h2>
                        ${kind === 'launcher' && html`<span class="badge info">Launcher</span>`}
                      </div>
                      <p class="quiet small truncate">${url || 'No address'}</p>
                      <p class="quiet small id-line">
                        <span class="mono truncate">${gameId}</span>
                        <${CopyButton} text=${gameId} label="Copy the id of ${name}" />
                        <span>· made <${RelativeTime} at=${createdAt} /></span>
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
