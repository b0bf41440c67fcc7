import { html } from 'htm/preact';
import { useState } from 'preact/hooks';
import { Button } from '../shared/button.js';
import { Icon } from '../shared/icon.js';
import { Empty, ErrorState, Loading } from '../shared/states.js';
import { toastError } from '../shared/toasts.js';

/**
 * The list of games to play.
 * @param {{ launcher: import('./launcher.js').Launcher, labelledBy?: string | undefined, hidden: boolean }} props
 */
export function Library({ launcher, labelledBy, hidden }) {
  const { games, error, opening } = launcher;
  /** @param {import('./open-game.js').Game} game */
  const open = (game) => {
    // Changing the URL fragment opens the game. If it is already set, opening failed before and is retried.
    if (location.hash === `#${game.slug}`) launcher.open(game).catch(toastError);
    else location.hash = game.slug;
  };
  return html`
    <section class="library" id="panel-games" aria-labelledby=${labelledBy} role=${labelledBy && 'tabpanel'} hidden=${hidden}>
      <h1>Choose a game</h1>
      ${
        error !== null
          ? html`<${ErrorState} error=${error} title="Could not load games" onRetry=${() => launcher.loadGames()} />`
          : games === null
            ? html`<${Loading} label="Loading games" />`
            : games.length === 0
              ? html`
                  <${Empty} icon="game" title="No games yet">
                    <p>The operator of this server adds one with <code>gantry game create --name "…" --url https://…</code>.</p>
                  <//>
                `
              : html`
                  <ul role="list" class="games">
                    ${games.map(
                      (game) => html`
                        <li key=${game.gameId} class="game-card card">
                          <${Cover} game=${game} />
                          <h2>${game.name}</h2>
                          <p class="quiet small truncate">${hostOf(game)}</p>
                          <${Button}
                            kind=${game.url === '' ? '' : 'primary'}
                            busy=${opening === game.gameId}
                            onClick=${() => open(game)}
                            aria-label="${game.url === '' ? 'Details of' : 'Play'} ${game.name}"
                          >
                            <${Icon} name=${game.url === '' ? 'list' : 'game'} />${game.url === '' ? 'Details' : 'Play'}
                          <//>
                        </li>
                      `,
                    )}
                  </ul>
                `
      }
    </section>
  `;
}

/**
 * A game's image, or its initials when it has none or the image fails to load.
 * @param {{ game: import('./open-game.js').Game }} props
 */
function Cover({ game }) {
  const [failed, setFailed] = useState(false);
  const isShown = game.image !== '' && !failed;
  return html`
    <div class="cover" style=${{ '--hue': hueOf(game.gameId) }} aria-hidden="true">
      ${isShown ? html`<img src=${game.image} alt="" loading="lazy" referrerpolicy="no-referrer" onError=${() => setFailed(true)} />` : initials(game.name)}
    </div>
  `;
}

/** A colour derived from the game's id. @param {string} gameId */
function hueOf(gameId) {
  let sum = 0;
  for (const character of gameId) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % 360;
  return sum;
}

/** @param {string} name */
function initials(name) {
  const words = name.split(/\s+/).filter(Boolean);
  return words
    .slice(0, 2)
    .map((word) => [...word][0]?.toUpperCase())
    .join('');
}

/** @param {import('./open-game.js').Game} game */
function hostOf({ url }) {
  if (url === '') return 'Hosted elsewhere';
  return URL.parse(url, location.href)?.host ?? '';
}
