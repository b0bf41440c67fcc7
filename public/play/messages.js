import { html } from 'htm/preact';
import { useEffect, useLayoutEffect } from 'preact/hooks';
import { Avatar } from '../shared/avatar.js';
import { Button } from '../shared/button.js';
import { Icon } from '../shared/icon.js';
import { RelativeTime } from '../shared/relative-time.js';
import { Empty, ErrorState, LoadingRows } from '../shared/states.js';
import { toastError } from '../shared/toasts.js';
import { BlockedList } from './blocked-list.js';
import { Conversation } from './conversation.js';
import { othersIn, titleOf } from './conversation-title.js';
import { NewConversation } from './new-conversation.js';

/**
 * @typedef {{
 *   launcher: import('./launcher.js').Launcher,
 *   current: Pick<import('./open-game.js').OpenGame, 'conversations' | 'blocked' | 'search'>,
 * }} InGame `current`: the open game, or the launcher's lobby
 */

/**
 * Shows the conversation of the place; messages are only read while their panel is shown.
 * @param {import('./launcher.js').Launcher} launcher
 * @param {import('./conversations.js').Conversations} conversations
 * @param {string} panel that is shown
 */
export function useOpenConversation(launcher, conversations, panel) {
  const { places, shown } = launcher;
  const wanted = panel === 'messages' && shown.channel !== '' ? shown.channel : null;
  const { loaded } = conversations;
  // At once, because what arrives while a conversation is open is marked as read.
  useLayoutEffect(() => {
    conversations.show(wanted).catch(toastError);
  }, [conversations, wanted, loaded]);
  // The player has left it, or was never in it.
  useEffect(() => {
    const isThere = places.place.slug === shown.slug && places.place.channel === wanted;
    if (isThere && loaded && conversations.openId === null) places.leave({ channel: '', dialogs: [] });
  });
  useEffect(() => () => void conversations.show(null), [conversations]);
}

/**
 * The player's conversations, or the open one.
 * @param {InGame & { onTalkTo: (wallets: string[]) => Promise<void> }} props
 */
export function Messages({ launcher, current, onTalkTo }) {
  const { conversations } = current;
  const { places } = launcher;
  const blockedCount = current.blocked.names.size;
  if (conversations.open) {
    return html`<${Conversation} key=${conversations.openId} launcher=${launcher} current=${current} conversation=${conversations.open} />`;
  }
  const { error, loaded, list } = conversations;
  return html`
    <div class="panel-head">
      <h2>Messages</h2>
      <${Button} size="small" onClick=${() => places.openDialog('new')}><${Icon} name="plus" />New<//>
    </div>
    ${
      error !== null
        ? html`<${ErrorState} error=${error} title="Could not load messages" onRetry=${() => conversations.load()} />`
        : !loaded
          ? html`<${LoadingRows} label="Loading messages" />`
          : list.length === 0
            ? html`
                <${Empty} icon="chat" title="No conversations yet">
                  <p>Start one with another player.</p>
                  <${Button} kind="primary" onClick=${() => places.openDialog('new')}>Start a conversation<//>
                <//>
              `
            : html`
                <ul role="list" class="conversations">
                  ${list.map(
                    (conversation) =>
                      html`<${Entry} key=${conversation.channel._id} launcher=${launcher} current=${current} conversation=${conversation} />`,
                  )}
                </ul>
                ${conversations.hasMore && html`<p class="more"><${Button} kind="plain" size="small" busy=${conversations.isLoadingMore} onClick=${() => conversations.loadMore().catch(toastError)}>Show earlier<//></p>`}
              `
    }
    ${blockedCount > 0 && html`<p class="blocked-link"><button type="button" class="link target small" onClick=${() => places.openDialog('blocked')}>Blocked players (${blockedCount})</button></p>`}
    ${places.dialog('blocked') !== null && html`<${BlockedList} launcher=${launcher} current=${current} onClose=${() => places.closeDialog('blocked')} />`}
    ${
      places.dialog('new') !== null &&
      html`
        <${NewConversation}
          launcher=${launcher}
          current=${current}
          onClose=${() => places.closeDialog('new')}
          onStart=${onTalkTo}
        />
      `
    }
  `;
}

/**
 * @param {InGame & { conversation: import('./conversation-state.js').ConversationState }} props
 */
function Entry({ launcher, current, conversation }) {
  const { blocked } = current;
  const { players, wallet } = launcher;
  const { channel, messages, unread } = conversation;
  const last = messages.findLast(({ senderId }) => !blocked.has(senderId));
  const [first] = othersIn(channel, wallet);
  const shownAs = first ?? wallet;
  return html`
    <li>
      <button type="button" class="conversation-entry" data-conversation=${channel._id} onClick=${() => launcher.places.go({ panel: 'messages', channel: channel._id })}>
        <${Avatar} wallet=${shownAs} url=${players.avatar(shownAs)} />
        <span class="conversation-entry-text">
          <span class="conversation-entry-head">
            <strong class="truncate">${titleOf(channel, wallet, players)}</strong>
            <span class="quiet small"><${RelativeTime} at=${last?.createdAt ?? channel.updatedAt} /></span>
          </span>
          <span class="conversation-entry-head">
            <span class="truncate ${unread > 0 ? '' : 'quiet'}">
              ${last ? `${last.senderId === wallet ? 'You: ' : ''}${last.content}` : 'No messages yet'}
            </span>
            ${
              unread > 0 &&
              html`<span class="count"><span aria-hidden="true">${unread}</span><span class="visually-hidden">${unread} unread</span></span>`
            }
          </span>
        </span>
      </button>
    </li>
  `;
}
