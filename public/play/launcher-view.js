import { html } from 'htm/preact';
import { useEffect, useState } from 'preact/hooks';
import { useChanges } from '../shared/observable.js';
import { SiteHeader } from '../shared/site-header.js';
import { ConnectionBadge } from './connection-badge.js';
import { GameScreen } from './game-screen.js';
import { Launcher, toastError } from './launcher.js';
import { Library } from './library.js';
import { NotificationsMenu } from './notifications-menu.js';
import { PlayerMenu } from './player-menu.js';

/**
 * The launcher of a signed-in player.
 * @param {{
 *   player: import('./kept.js').KeptPlayer,
 *   onEnded: (ending: import('./session-end.js').SessionEnd) => void,
 *   onWallet: (launcherJwt: string) => void,
 * }} props `onWallet`: the player has a wallet now, and this token
 */
export function LauncherView({ player, onEnded, onWallet }) {
  const [launcher] = useState(() => new Launcher(player.launcherJwt, onEnded));
  useChanges(launcher);
  useEffect(() => () => launcher.close(), []);
  useEffect(() => followAddress(launcher), []);
  const { current, games } = launcher;

  // The game in the address is opened as soon as the games are loaded.
  useEffect(() => openNamed(launcher), [games]);
  useEffect(() => {
    document.title = `${titleOf(launcher)} · Gantry`;
  });

  return html`
    <div class="launcher">
      <${SiteHeader} title=${current ? current.game.name : 'Play'}>
        <${ConnectionBadge} state=${launcher.connection} missed=${launcher.missed} />
        <${NotificationsMenu} launcher=${launcher} />
        <${PlayerMenu} launcher=${launcher} guest=${player.guest} onWallet=${onWallet} />
      <//>
      ${
        current
          ? html`<${GameScreen} key=${current.sessionId} launcher=${launcher} current=${current} />`
          : html`<${Library} launcher=${launcher} />`
      }
    </div>
  `;
}

/** @param {Launcher} launcher */
function titleOf({ current }) {
  const unread = current?.conversations.unread ?? 0;
  return `${unread > 0 ? `(${unread}) ` : ''}${current ? current.game.name : 'Play'}`;
}

/**
 * The address names the open game, so that a reload, a bookmark and the back button find it.
 * @param {Launcher} launcher
 */
function followAddress(launcher) {
  const follow = () => {
    if (location.hash.length > 1) openNamed(launcher);
    else if (launcher.current) launcher.closeGame();
  };
  addEventListener('hashchange', follow);
  return () => removeEventListener('hashchange', follow);
}

/** @param {Launcher} launcher */
function openNamed(launcher) {
  const slug = location.hash.slice(1);
  const game = launcher.games?.find((one) => one.slug === slug);
  if (game) launcher.open(game).catch(toastError);
}
