import { html } from 'htm/preact';
import { Icon } from '../../shared/icon.js';
import { clockTime, dayDate, minuteTime } from '../../shared/relative-time.js';

/**
 * Maintenance of all games and of the open one, before it begins and while it lasts, in the player's time zone.
 * @param {{ launcher: import('../launcher.js').Launcher, maintenance: import('./maintenance.js').Maintenance }} props
 */
export function MaintenanceBanner({ launcher, maintenance }) {
  const { current } = launcher;
  return maintenance.of(current?.game.gameId).map(({ gameId, from, until, message }) => {
    const now = Date.now();
    const what = gameId === null ? 'Maintenance' : `Maintenance of ${launcher.nameOf(gameId)}`;
    const times =
      from > now
        ? `from ${timeText(from, now)} until ${timeText(until, from)}`
        : `until ${timeText(until, now)}`;
    return html`
      <p key=${gameId} class="banner ${from > now ? '' : 'warn'} maintenance" role="status">
        <${Icon} name="clock" />
        <span><strong>${what} ${times}.</strong> ${message || (from > now ? 'Games can be played until then, but not during it.' : 'Nothing can be changed, and no game can be started, until it is over.')}</span>
      </p>
    `;
  });
}

/** The time of day, with the date unless it is that of the other. @param {number} time @param {number} other */
function timeText(time, other) {
  return dayDate(time) === dayDate(other) ? clockTime(time) : minuteTime(time);
}
