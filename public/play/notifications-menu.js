import { html } from 'htm/preact';
import { Icon } from '../shared/icon.js';
import { RelativeTime } from '../shared/relative-time.js';
import { Empty } from '../shared/states.js';

/**
 * The notifications since the page was opened, which were also shown as toasts.
 * @param {{ launcher: import('./launcher.js').Launcher }} props
 */
export function NotificationsMenu({ launcher }) {
  const { notifications, unseenNotifications: unseen } = launcher;
  /** @param {ToggleEvent} event */
  const toggled = (event) => {
    if (event.newState === 'open') launcher.markNotificationsSeen();
  };
  const label = unseen > 0 ? `Notifications, ${unseen} new` : 'Notifications';
  return html`
    <button
      type="button"
      class="button plain icon-only with-count"
      popovertarget="notifications"
      aria-label=${label}
      title="Notifications"
    >
      <${Icon} name="bell" />
      ${unseen > 0 && html`<span class="count" aria-hidden="true">${unseen > 99 ? '99+' : unseen}</span>`}
    </button>
    <div id="notifications" class="menu" popover="auto" role="dialog" aria-label="Notifications" onToggle=${toggled}>
      ${
        notifications.length === 0
          ? html`<${Empty} icon="bell" title="No notifications"><p>Notifications from games appear here.</p><//>`
          : html`
              <ul role="list" class="notifications">
                ${notifications.map(
                  ({ _id, message, type, gameId, createdAt }) => html`
                    <li key=${_id} class="notification ${type}">
                      <${Icon} name=${type === 'error' ? 'alert' : 'check'} />
                      <div>
                        <p>${message}</p>
                        <p class="quiet small">${launcher.nameOf(gameId)} · <${RelativeTime} at=${createdAt} /></p>
                      </div>
                    </li>
                  `,
                )}
              </ul>
            `
      }
    </div>
  `;
}
