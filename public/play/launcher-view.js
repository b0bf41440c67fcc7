import { html } from 'htm/preact';
import { useEffect, useLayoutEffect, useState } from 'preact/hooks';
import { useChanges } from '../shared/observable.js';
import { SiteHeader } from '../shared/site-header.js';
import { toast, toastError } from '../shared/toasts.js';
import { ConnectionBadge } from './connection-badge.js';
import { GameScreen } from './game-screen.js';
import { Home } from './home.js';
import { Launcher, notListed } from './launcher.js';
import { NotificationsMenu } from './notifications-menu.js';
import { PlayerMenu } from './player-menu.js';

/**
 * The launcher of a signed-in player.
 * @param {{
 *   player: import('./stored-session.js').StoredPlayer,
 *   onEnded: (ending: import('./session-end.js').SessionEnd) => void,
 *   onWallet: (launcherJwt: string) => void,
 * }} props `onWallet`: called with the new token when the guest has connected a wallet
 */
export function LauncherView({ player, onEnded, onWallet }) {
  const [launcher] = useState(() => new Launcher(player.launcherJwt, onEnded));
  useChanges(launcher);
  useEffect(() => () => launcher.close(), []);
  useEffect(() => followLocation(launcher), []);
  const { current, games, friends, friendViews, homeViews, maintenance, about } = launcher;

  // The game in the URL is opened as soon as the games are loaded, before anything else is clicked.
  useLayoutEffect(() => openFromLocation(launcher), [games]);
  useEffect(() => {
    document.title = `${titleOf(launcher)} · Gantry`;
  });

  return html`
    <div class="launcher">
      <${SiteHeader} title=${current ? current.game.name : 'Play'}>
        <${ConnectionBadge} state=${launcher.connectionState.state} missed=${launcher.connectionState.missed} />
        <${NotificationsMenu} launcher=${launcher} />
        <${PlayerMenu} launcher=${launcher} guest=${player.guest} onWallet=${onWallet} />
      <//>
      <div class="launcher-banners">
        ${homeViews && maintenance && html`<${homeViews.MaintenanceBanner} launcher=${launcher} maintenance=${maintenance} />`}
      </div>
      <div class="notices">
        ${friends && friendViews && html`<${friendViews.FriendNotices} launcher=${launcher} friends=${friends} />`}
        <${Opening} launcher=${launcher} />
      </div>
      ${
        current
          ? html`<${GameScreen} key=${current.game.gameId} launcher=${launcher} current=${current} />`
          : html`<${Home} launcher=${launcher} />`
      }
      ${homeViews && about && html`<${homeViews.GameDialog} key=${about.game.gameId} launcher=${launcher} about=${about} />`}
    </div>
  `;
}

/**
 * That a game is being opened, wherever it was chosen: the page stays as it is until the server has answered.
 * @param {{ launcher: Launcher }} props
 */
function Opening({ launcher }) {
  const { opening } = launcher;
  return html`
    <div role="status">
      ${opening !== null && html`<p class="opening card"><span class="spinner"></span>Opening ${launcher.nameOf(opening)}…</p>`}
    </div>
  `;
}

/** @param {Launcher} launcher */
function titleOf({ current }) {
  const unread = current?.conversations.unread ?? 0;
  return `${unread > 0 ? `(${unread}) ` : ''}${current ? current.game.name : 'Play'}`;
}

/**
 * Keeps the open game in sync with the URL fragment, so that reloads, bookmarks and the back button work.
 * @param {Launcher} launcher
 */
function followLocation(launcher) {
  const follow = () => {
    if (location.hash.length > 1) openFromLocation(launcher);
    else if (launcher.current || launcher.opening !== null) launcher.closeGame();
  };
  addEventListener('hashchange', follow);
  return () => removeEventListener('hashchange', follow);
}

/** @param {Launcher} launcher */
function openFromLocation(launcher) {
  const slug = location.hash.slice(1);
  const game = launcher.games?.find((one) => one.slug === slug);
  if (game) launcher.open(game).catch(toastError);
  else if (launcher.games) {
    launcher.notOpening();
    if (slug !== '') toast(notListed, 'error');
  }
}
