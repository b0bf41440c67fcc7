import { html } from 'htm/preact';
import { linkTo } from '../route.js';
import { Calendar } from './calendar.js';
import { Config } from './config.js';
import { MaintenanceCard } from './maintenance.js';
import { News } from './news.js';
import { Releases } from './releases.js';

/** @typedef {import('../game-view.js').Game} Game */

/** @type {readonly { path: string, label: string, view: (game: Game) => import('preact').ComponentChildren }[]} */
const parts = [
  { path: 'config', label: 'Config', view: (game) => html`<${Config} game=${game} />` },
  { path: 'news', label: 'News', view: (game) => html`<${News} game=${game} />` },
  { path: 'releases', label: 'Releases', view: (game) => html`<${Releases} game=${game} />` },
  { path: 'calendar', label: 'Calendar', view: (game) => html`<${Calendar} game=${game} />` },
  { path: 'maintenance', label: 'Maintenance', view: (game) => html`<${MaintenanceCard} game=${game} />` },
];

/** @type {readonly { path: string, label: string, view: () => import('preact').ComponentChildren }[]} */
const partsOfInstallation = [
  { path: 'news', label: 'News', view: () => html`<${News} />` },
  { path: 'maintenance', label: 'Maintenance', view: () => html`<${MaintenanceCard} />` },
];

/**
 * What a game's team changes while the game runs. @param {{ game: Game, part: string | undefined }} props `part`: of the
 * route
 */
export function LiveOps({ game, part }) {
  const current = parts.find(({ path }) => path === part) ?? parts[0];
  return html`
    <${PartLinks} parts=${parts} current=${current?.path} linkOf=${(/** @type {string} */ path) => linkTo('games', game.slug, 'live-ops', path)} />
    <div key=${current?.path}>${current?.view(game)}</div>
  `;
}

/** The news of all games and of the installation, and maintenance of all games. @param {{ part: string | undefined }} props */
export function InstallationLiveOps({ part }) {
  const current = partsOfInstallation.find(({ path }) => path === part) ?? partsOfInstallation[0];
  return html`
    <${PartLinks} parts=${partsOfInstallation} current=${current?.path} linkOf=${(/** @type {string} */ path) => linkTo('live-ops', path)} />
    <div key=${current?.path}>${current?.view()}</div>
  `;
}

/**
 * @param {{ parts: readonly { path: string, label: string }[], current: string | undefined, linkOf: (path: string) => string }} props
 */
function PartLinks({ parts: all, current, linkOf }) {
  return html`
    <nav class="segments scrolls" aria-label="Live-ops">
      ${all.map(({ path, label }) => html`<a key=${path} class="segment" href=${linkOf(path)} aria-current=${path === current ? 'page' : undefined}>${label}</a>`)}
    </nav>
  `;
}
