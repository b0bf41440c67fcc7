import { html } from 'htm/preact';
import { Avatar } from '../shared/avatar.js';
import { Icon } from '../shared/icon.js';
import { clockTime, exactTime } from '../shared/relative-time.js';

/** Messages of one sender within this time of each other are grouped, in milliseconds. */
const groupWithinMs = 5 * 60 * 1000;
/** Reactions available with one click. */
const quickReactions = ['👍', '❤️', '😂', '🎉'];
const day = new Intl.DateTimeFormat('en', { weekday: 'long', month: 'long', day: 'numeric' });

/** @typedef {import('./conversations.js').Message} Message */

/**
 * One message.
 * @param {{
 *   message: Message,
 *   before: Message | undefined,
 *   own: boolean,
 *   players: import('./player-book.js').PlayerBook,
 *   inGroup: boolean,
 *   original: Message | null | undefined,
 *   onReply: () => void,
 *   onMore: () => void,
 *   onEdit: () => void,
 *   onUnsend: () => void,
 *   onReact: (reaction: string) => void,
 * }} props `before` is the message above it; `original` the message it replies to, null when that was removed,
 *   undefined when it is not a reply; `onMore` opens the actions on its sender
 */
export function MessageItem({
  message,
  before,
  own,
  players,
  inGroup,
  original,
  onReply,
  onMore,
  onEdit,
  onUnsend,
  onReact,
}) {
  const { senderId, content, createdAt, updatedAt, reactions = [] } = message;
  const newDay = before === undefined || day.format(before.createdAt) !== day.format(createdAt);
  const isContinuation =
    !newDay && before.senderId === senderId && createdAt - before.createdAt < groupWithinMs;
  // Shown below the bubble at its outer edge, with the actions beside it.
  const when = html`
    ${updatedAt > createdAt && html`<span title="Edited ${exactTime(updatedAt)}">edited</span>`}
    <time datetime=${new Date(createdAt).toISOString()} title=${exactTime(createdAt)}>${clockTime(createdAt)}</time>
  `;
  return html`
    ${newDay && html`<p class="day quiet small"><span>${dayLabel(createdAt)}</span></p>`}
    <div class="message ${own ? 'own' : ''} ${isContinuation ? 'follows' : ''}" data-message=${message._id} tabindex="-1">
      <span class="visually-hidden">${own ? 'You' : players.name(senderId)}: </span>
      ${!own && inGroup && html`<span class="message-face">${!isContinuation && html`<${Avatar} small wallet=${senderId} url=${players.avatar(senderId)} />`}</span>`}
      <div class="message-body">
        ${!own && inGroup && !isContinuation && html`<p class="message-sender small" aria-hidden="true">${players.name(senderId)}</p>`}
        ${
          original !== undefined &&
          html`
            <p class="replied small">
              <${Icon} name="reply" />
              ${original === null ? html`<em>Message removed</em>` : html`<span class="truncate"><strong>${players.name(original.senderId)}</strong> ${excerptOf(original.content)}</span>`}
            </p>
          `
        }
        <div class="bubble">${content}</div>
        ${
          reactions.length > 0 &&
          html`
            <div class="reactions">
              ${reactions.map(
                ({ reaction, count, own: isOwn }) => html`
                  <button type="button" key=${reaction} class="reaction" aria-pressed=${isOwn === true} aria-label="${reaction}, ${count}" onClick=${() => onReact(reaction)}>
                    ${reaction} <span>${count}</span>
                  </button>
                `,
              )}
            </div>
          `
        }
        <p class="message-meta">
          ${!own && when}
          <span class="message-actions">
            ${quickReactions
              .filter((reaction) => !reactions.some((one) => one.reaction === reaction))
              .map(
                (reaction) =>
                  html`<button type="button" key=${reaction} class="link react" aria-label="React with ${reaction}: ${excerptOf(content)}" onClick=${() => onReact(reaction)}>${reaction}</button>`,
              )}
            <button type="button" class="link" onClick=${onReply} aria-label="Reply to: ${excerptOf(content)}">Reply</button>
            ${
              own
                ? html`
                    <button type="button" class="link" onClick=${onEdit} aria-label="Edit: ${excerptOf(content)}">Edit</button>
                    <button type="button" class="link" onClick=${onUnsend} aria-label="Unsend: ${excerptOf(content)}">Unsend</button>
                  `
                : html`<button type="button" class="link" onClick=${onMore} aria-label="More about ${players.name(senderId)} (report, block, mute): ${excerptOf(content)}">More</button>`
            }
          </span>
          ${own && when}
        </p>
      </div>
    </div>
  `;
}

/** The start of a message, for labels. @param {string} content */
export function excerptOf(content) {
  return content.length > 40 ? `${content.slice(0, 40)}…` : content;
}

/** @param {number} at */
function dayLabel(at) {
  return day.format(at) === day.format(Date.now()) ? 'Today' : day.format(at);
}
