import { html } from 'htm/preact';
import { useEffect, useRef, useState } from 'preact/hooks';
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
  const { notifications, unread, error, muted } = inbox;
  /** The game that the player has just turned off or on here: its button goes, with the focus. @type {{ current: string | null }} */
  const turned = useRef(null);
  const menu = useMenu(launcher.places, 'notifications');
  const [isShown, setShown] = useState(false);
  // Rendered only while the menu is open, since the list grows in a page that stays open; until the menu is hidden, when
  // the browser moves the focus from it to the button.
  const isRendered = isShown || launcher.places.dialog('notifications') !== null;
  /** @param {ToggleEvent} event */
  const toggled = ({ newState }) => {
    menu.onToggle();
    const isOpen = newState === 'open';
    setShown(isOpen);
    const ids = isOpen ? notifications?.flatMap(({ _id, readAt }) => (readAt === null ? [_id] : [])) : [];
    setHighlighted(new Set(ids));
    if (isOpen) inbox.markAllRead().catch(() => {}); // if this fails, they are at worst unread once more
  };
  /** @param {string} gameId @param {boolean} isMuted */
  const turn = (gameId, isMuted) => {
    turned.current = gameId;
    inbox.setMuted(gameId, isMuted).catch((error) => {
      turned.current = null;
      toastError(error);
    });
  };
  useEffect(() => {
    if (turned.current === null) return;
    const button = menu.ref.current?.querySelector(`[data-muted="${turned.current}"]`);
    turned.current = null;
    /** @type {HTMLElement | null | undefined} */ (button ?? menu.ref.current)?.focus();
  }, [muted]);
  /** @param {string} gameId */
  const nameOf = (gameId) => launcher.nameOf(gameId) ?? (launcher.games ? 'Unlisted game' : '…');
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
    <div id="notifications" ...${menu} class="menu" popover="auto" role="dialog" tabindex="-1" aria-label="Notifications" onToggle=${toggled}>
      ${
        isRendered &&
        (notifications === null
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
                      <div class="notification-text">
                        <p>${message}</p>
                        <p class="quiet small">${nameOf(gameId)} · <${RelativeTime} at=${createdAt} />${(readAt === null || highlighted.has(_id)) && html` · <strong>new</strong>`}</p>
                      </div>
                      <${Button} kind="plain" size="small" iconOnly label="Turn off notifications from ${launcher.nameOf(gameId) ?? 'this game'}" onClick=${() => turn(gameId, true)}><${Icon} name="bellOff" /><//>
                    </li>
                  `,
                )}
              </ul>
              ${inbox.hasMore && html`<div class="notifications-more"><${Button} kind="plain" size="small" busy=${inbox.isLoadingMore} onClick=${() => inbox.loadMore().catch(toastError)}>Show earlier<//></div>`}
            `)
      }
      ${
        isRendered &&
        muted.length > 0 &&
        html`
          <section class="muted-games" aria-label="Turned off">
            <h3 class="quiet small">Turned off</h3>
            <ul role="list">
              ${muted.map(
                ({ gameId, name }) => html`
                  <li key=${gameId}>
                    <span class="truncate">${name}</span>
                    <${Button} size="small" data-muted=${gameId} aria-label="Turn on notifications from ${name}" onClick=${() => turn(gameId, false)}>Turn on<//>
                  </li>
                `,
              )}
            </ul>
          </section>
        `
      }
    </div>
  `;
}
