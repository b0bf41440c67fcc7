import { html } from 'htm/preact';
import { useState } from 'preact/hooks';
import { Button } from '../shared/button.js';
import { Icon } from '../shared/icon.js';
import { RelativeTime } from '../shared/relative-time.js';
import { Empty, ErrorState, LoadingRows } from '../shared/states.js';
import { toastError } from '../shared/toasts.js';
import { useMenu } from './places.js';

/**
 * The player's inbox. Opening it marks everything as read; previously unread ones stay highlighted until it is closed.
 * @param {{ launcher: import('./launcher.js').Launcher }} props
 */
export function NotificationsMenu({ launcher }) {
  const { inbox } = launcher;
  const [highlighted, setHighlighted] = useState(/** @type {ReadonlySet<string>} */ (new Set()));
  const { notifications, unread, error } = inbox;
  const menu = useMenu(launcher.places, 'notifications');
  /** @param {ToggleEvent} event */
  const toggled = (event) => {
    menu.onToggle(event);
    const isOpen = event.newState === 'open';
    const ids = isOpen ? notifications?.flatMap(({ _id, readAt }) => (readAt === null ? [_id] : [])) : [];
    setHighlighted(new Set(ids));
    if (isOpen) inbox.markAllRead().catch(() => {}); // if this fails, they are at worst unread once more
  };
  const label = unread > 0 ? `Notifications, ${unread} new` : 'Notifications';
  return html`
    <button
      type="button"
      class="button plain icon-only with-count"
      popovertarget="notifications"
      aria-label=${label}
      title="Notifications"
    >
      <${Icon} name="bell" />
      ${unread > 0 && html`<span class="count" aria-hidden="true">${unread > 99 ? '99+' : unread}</span>`}
    </button>
    <div id="notifications" ref=${menu.ref} class="menu" popover="auto" role="dialog" aria-label="Notifications" onToggle=${toggled}>
      ${
        notifications === null
          ? error === null
            ? html`<${LoadingRows} rows=${3} label="Loading notifications" />`
            : html`<${ErrorState} error=${error} title="Could not load notifications" onRetry=${() => inbox.load()} />`
          : notifications.length === 0
            ? html`<${Empty} icon="bell" title="No notifications"><p>Notifications from games appear here.</p><//>`
            : html`
              <ul role="list" class="notifications" tabindex="0" aria-label="Notifications, newest first">
                ${notifications.map(
                  ({ _id, message, type, gameId, createdAt, readAt }) => html`
                    <li key=${_id} class="notification ${type} ${readAt === null || highlighted.has(_id) ? 'unread' : ''}">
                      <${Icon} name=${type === 'error' ? 'alert' : 'check'} />
                      <div>
                        <p>${message}</p>
                        <p class="quiet small">${launcher.nameOf(gameId) ?? (launcher.games ? 'Unlisted game' : '…')} · <${RelativeTime} at=${createdAt} />${(readAt === null || highlighted.has(_id)) && html` · <strong>new</strong>`}</p>
                      </div>
                    </li>
                  `,
                )}
              </ul>
              ${inbox.hasMore && html`<div class="notifications-more"><${Button} kind="plain" size="small" busy=${inbox.isLoadingMore} onClick=${() => inbox.loadMore().catch(toastError)}>Show earlier<//></div>`}
            `
      }
    </div>
  `;
}
