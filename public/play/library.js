import { html } from 'htm/preact';
import { useMemo } from 'preact/hooks';
import { Button } from '../shared/button.js';
import { Icon } from '../shared/icon.js';
import { RelativeTime } from '../shared/relative-time.js';
import { Empty, ErrorState, Loading } from '../shared/states.js';
import { toastError } from '../shared/toasts.js';
import { GameCover } from './game-cover.js';
import { playtimeText } from './playtime.js';

/**
 * @typedef {import('./open-game.js').Game} Game
 * @typedef {{ launcher: import('./launcher.js').Launcher }} WithLauncher
 */

/**
 * The list of games to play.
 * @param {WithLauncher & { labelledBy?: string | undefined, hidden: boolean }} props
 */
export function Library({ launcher, labelledBy, hidden }) {
  const { games, error, playerGames } = launcher;
  // Favorites come first. One that is marked moves when the library is shown again, not away from the pointer.
  const sorted = useMemo(() => {
    const { favorites } = playerGames;
    const isFavorite = (/** @type {Game} */ { gameId }) => favorites.has(gameId);
    return games && [...games.filter(isFavorite), ...games.filter((game) => !isFavorite(game))];
  }, [games]);
  return html`
    <section class="library" id="panel-games" aria-labelledby=${labelledBy} role=${labelledBy && 'tabpanel'} hidden=${hidden}>
      <h1>Choose a game</h1>
      ${
        error !== null
          ? html`<${ErrorState} error=${error} title="Could not load games" onRetry=${() => launcher.loadGames()} />`
          : sorted === null
            ? html`<${Loading} label="Loading games" />`
            : sorted.length === 0
              ? html`
                  <${Empty} icon="game" title="No games yet">
                    <p>The operator of this server adds one with <code>gantry game create --name "…" --url https://…</code>.</p>
                  <//>
                `
              : html`
                  <${RecentGames} launcher=${launcher} />
                  <ul role="list" class="games" aria-label="Games">
                    ${sorted.map((game) => html`<${GameCard} key=${game.gameId} launcher=${launcher} game=${game} />`)}
                  </ul>
                `
      }
    </section>
  `;
}

/** @param {WithLauncher} props */
function RecentGames({ launcher }) {
  const { recent } = launcher.playerGames;
  if (recent.length === 0) return null;
  return html`
    <h2 class="library-heading" id="recent-games">Recently played</h2>
    <ul role="list" class="recent-games" aria-labelledby="recent-games">
      ${recent.map(
        (game) => html`
          <li key=${game.gameId}>
            <a class="recent-game card" ...${launcher.places.link({ slug: game.slug })}>
              <${GameCover} game=${game} />
              <span class="recent-game-text">
                <strong class="truncate">${game.name}</strong>
                <span class="quiet small truncate">${playtimeText(game.seconds)} · <${RelativeTime} at=${game.lastAt} /></span>
              </span>
            </a>
          </li>
        `,
      )}
    </ul>
    <h2 class="library-heading">All games</h2>
  `;
}

/** @param {WithLauncher & { game: Game }} props */
function GameCard({ launcher, game }) {
  const { opening, playerGames } = launcher;
  const hasPage = game.url !== '';
  const favorite = playerGames.favorites.has(game.gameId);
  const playing = playerGames.playing(game);
  return html`
    <li class="game-card card">
      <${GameCover} game=${game} />
      <h2>${game.name}</h2>
      <p class="quiet small truncate">${playing !== null && playing > 0 && html`<span class="playing">${playing} playing</span> · `}${hostOf(game)}</p>
      <div class="game-actions">
        <${Button}
          kind=${hasPage ? 'primary' : ''}
          busy=${opening === game.gameId}
          onClick=${() => launcher.show(game)}
          aria-label="${hasPage ? 'Play' : 'Details of'} ${game.name}"
        >
          <${Icon} name=${hasPage ? 'game' : 'list'} />${hasPage ? 'Play' : 'Details'}
        <//>
        <${Button} kind="plain" iconOnly label="About ${game.name}" onClick=${() => launcher.showAbout(game)}><${Icon} name="info" /><//>
        <${Button}
          kind="plain"
          iconOnly
          label="Favorite: ${game.name}"
          aria-pressed=${favorite ? 'true' : 'false'}
          onClick=${() => playerGames.setFavorite(game.gameId, !favorite).catch(toastError)}
        >
          <${Icon} name="star" />
        <//>
      </div>
    </li>
  `;
}

/** @param {Game} game */
function hostOf({ url }) {
  if (url === '') return 'Hosted elsewhere';
  return URL.parse(url, location.href)?.host ?? '';
}
