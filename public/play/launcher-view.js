import { html } from 'htm/preact';
import { useEffect, useState } from 'preact/hooks';
import { useChanges } from '../shared/observable.js';
import { SiteHeader } from '../shared/site-header.js';
import { ConnectionBadge } from './connection-badge.js';
import { GameScreen } from './game-screen.js';
import { Home } from './home.js';
import { useKeptFocus } from './kept-focus.js';
import { Launcher } from './launcher.js';
import { NotificationsMenu } from './notifications-menu.js';
import { PlayerMenu } from './player-menu.js';

/**
 * The launcher of a signed-in player.
 * @param {{
 *   player: import('./stored-session.js').StoredPlayer,
 *   places: import('./places.js').Places,
 *   onEnded: (ending: import('./session-end.js').SessionEnd) => void,
 *   onWallet: (launcherJwt: string) => void,
 * }} props `onWallet`: called with the new token when the guest has connected a wallet
 */
export function LauncherView({ player, places, onEnded, onWallet }) {
  const [launcher] = useState(() => new Launcher(player.launcherJwt, places, onEnded));
  useChanges(launcher);
  useEffect(() => () => launcher.close(), []);
  const { current, games, friends, friendViews, homeViews, maintenance, about } = launcher;
  const isUnlisted = launcher.places.dialog('about') !== null && games !== null && !about;
  useEffect(() => {
    if (isUnlisted) launcher.places.closeDialog('about');
  }, [isUnlisted]);
  useEffect(() => {
    document.title = `${titleOf(launcher)} · Gantry`;
  });

  const kept = useKeptFocus(launcher);
  return html`
    <div class="launcher" ...${kept}>
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
      ${homeViews && about && html`<${homeViews.GameDialog} key=${about.gameId} launcher=${launcher} game=${about} />`}
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
function titleOf({ current, lobby }) {
  const { unread } = (current ?? lobby).conversations;
  return `${unread > 0 ? `(${unread}) ` : ''}${current ? current.game.name : 'Play'}`;
}
