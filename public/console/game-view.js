import { html } from 'htm/preact';
import { Button } from '../shared/button.js';
import { CopyButton } from '../shared/copy-button.js';
import { Icon } from '../shared/icon.js';
import { useChanges } from '../shared/observable.js';
import { Empty, ErrorState, LoadingRows } from '../shared/states.js';
import { ActivitiesView } from './activities-view.js';
import { useAdmin } from './admin.js';
import { useScrollToCurrent } from './current-link.js';
import { drafts } from './drafts.js';
import { EventsView } from './events-view.js';
import { GameOverview } from './game-overview.js';
import { LazyView } from './lazy-view.js';
import { LeaderboardsView } from './leaderboards-view.js';
import { ListingBadge } from './listing-badge.js';
import { Moderation } from './moderation.js';
import { PageHead } from './page-head.js';
import { PlaySessionsView } from './play-sessions-view.js';
import { Players } from './players.js';
import { useQuery } from './queries.js';
import { Queue } from './queue.js';
import { linkTo } from './route.js';
import { RulesView } from './rules-view.js';
import { StatesView } from './states-view.js';
import { WebhooksView } from './webhooks-view.js';

/** @typedef {import('./admin.js').Output<'listGames'>['games'][number]} Game */

const loadSettings = async () => (await import('./game-settings.js')).GameSettings;
const loadLiveOps = async () => (await import('./live-ops/view.js')).LiveOps;

/** @type {readonly { path: string, label: string, view: (game: Game, reload: () => void, rest: readonly string[]) => import('preact').ComponentChildren }[]} */
const tabs = [
  { path: 'overview', label: 'Overview', view: (game) => html`<${GameOverview} game=${game} />` },
  {
    path: 'settings',
    label: 'Settings',
    view: (game, reload) =>
      html`<${LazyView} load=${loadSettings} label="Loading settings" game=${game} onChanged=${reload} />`,
  },
  {
    path: 'leaderboard',
    label: 'Leaderboards',
    view: (game, _reload, [name, part]) =>
      html`<${LeaderboardsView} game=${game} name=${name} part=${part} />`,
  },
  { path: 'players', label: 'Players', view: (game) => html`<${Players} game=${game} />` },
  { path: 'states', label: 'States', view: (game) => html`<${StatesView} game=${game} />` },
  {
    path: 'play-sessions',
    label: 'Play sessions',
    view: (game) => html`<${PlaySessionsView} game=${game} />`,
  },
  { path: 'activities', label: 'Activities', view: (game) => html`<${ActivitiesView} game=${game} />` },
  { path: 'messages', label: 'Messages', view: (game) => html`<${Moderation} game=${game} />` },
  {
    path: 'live-ops',
    label: 'Live-ops',
    view: (game, _reload, [part]) =>
      html`<${LazyView} load=${loadLiveOps} label="Loading live-ops" game=${game} part=${part} />`,
  },
  { path: 'rules', label: 'Rules', view: (game) => html`<${RulesView} game=${game} />` },
  { path: 'queue', label: 'Queue', view: (game) => html`<${Queue} game=${game} />` },
  { path: 'webhooks', label: 'Webhooks', view: (game) => html`<${WebhooksView} game=${game} />` },
  { path: 'events', label: 'Live events', view: (game) => html`<${EventsView} game=${game} />` },
];

/**
 * One game, in tabs.
 * @param {{ slug: string, tab: string | undefined, rest: readonly string[] }} props `rest`: the route within the tab
 */
export function GameView({ slug, tab, rest }) {
  const admin = useAdmin();
  const { result, error, reload } = useQuery(() => admin.call('listGames', {}), []);
  if (result === undefined) {
    return error
      ? html`<${ErrorState} error=${error} onRetry=${reload} />`
      : html`<${LoadingRows} label="Loading game" />`;
  }
  const game = result.games.find((one) => one.slug === slug || one.gameId === slug);
  if (!game)
    return html`<${PageHead} title="Games" /><${Empty} icon="game" title="Game not found"><a href=${linkTo('games')}>All games</a><//>`;
  const current = tabs.find(({ path }) => path === (tab ?? 'overview')) ?? tabs[0];
  return html`
    <header class="page-head game-head">
      <a class="back" href=${linkTo('games')}><${Icon} name="arrowLeft" />All games</a>
      <h1>${game.name}</h1>
      <${ListingBadge} listing=${game.listing} deleting=${game.deleting} />
      <p class="quiet small id-line"><span class="mono truncate">${game.gameId}</span><${CopyButton} text=${game.gameId} label="Copy game ID" /></p>
    </header>
    ${
      game.deleting
        ? html`
            <${Empty} icon="trash" title="This game is being deleted">
              <p>It is archived, and all its data is removed. If that is interrupted, this server continues within seconds.</p>
              <${Button} size="small" onClick=${reload}><${Icon} name="refresh" />Check again<//>
            <//>
          `
        : html`
            <${TabLinks} game=${game} current=${current?.path ?? ''} />
            <div key=${current?.path}>${current?.view(game, reload, rest)}</div>
          `
    }
  `;
}

/** @param {{ game: Game, current: string }} props */
function TabLinks({ game, current }) {
  useChanges(drafts);
  const row = useScrollToCurrent(current);
  return html`
    <nav class="tabs game-tabs" aria-label="${game.name} tabs" ref=${row}>
      ${tabs.map(
        ({ path, label }) => html`
          <a key=${path} class="tab" href=${linkTo('games', game.slug, path)} aria-current=${path === current ? 'page' : undefined}>${label}${drafts.isUnsaved(game.gameId, path) && html`<span class="unsaved" title="Unsaved changes"><span class="visually-hidden">, unsaved changes</span></span>`}</a>
        `,
      )}
    </nav>
  `;
}
