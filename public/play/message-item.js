import { html } from 'htm/preact';
import { Avatar } from '../shared/avatar.js';
import { Icon } from '../shared/icon.js';
import { clockTime, exactTime } from '../shared/relative-time.js';

/** Messages of one sender within this time of each other are grouped, in milliseconds. */
const groupWithinMs = 5 * 60 * 1000;
const day = new Intl.DateTimeFormat('en', { weekday: 'long', month: 'long', day: 'numeric' });

/** @typedef {import('./conversation-state.js').Message} Message */

/**
 * One message. The time is shown once for a group of messages; the actions appear on the message under the pointer, the
 * tapped or the focused one.
 * @param {{
 *   message: Message,
 *   before: Message | undefined,
 *   after: Message | undefined,
 *   own: boolean,
 *   isActive: boolean,
 *   players: import('./player-book.js').PlayerBook,
 *   inGroup: boolean,
 *   original: Message | null | undefined,
 *   onReply: () => void,
 *   onMore: () => void,
 *   onEdit: () => void,
 *   onUnsend: () => void,
 *   onReact: (reaction: string) => void,
 *   onPick: () => void,
 * }} props `before` and `after` are the messages above and below it; `isActive`: its actions are reached with Tab;
 *   `original` is the message it replies to, null when that was removed, undefined when it is not a reply; `onMore`
 *   opens the actions on its sender, and `onPick` the reactions
 */
export function MessageItem(props) {
  const { message, before, after, own, isActive, players, inGroup, original, onReact } = props;
  const { senderId, content, createdAt, updatedAt, reactions = [] } = message;
  const newDay = before === undefined || !isSameDay(before, message);
  const isFirst = !continues(before, message);
  const isLast = after === undefined || !continues(message, after);
  const excerpt = excerptOf(content);
  /**
   * @param {import('../shared/icon.js').IconName} icon
   * @param {string} name
   * @param {() => void} onClick
   * @param {string} [details]
   */
  const action = (icon, name, onClick, details = '') => html`
    <button type="button" class="message-action" tabindex=${isActive ? 0 : -1} title=${name} aria-label="${name}${details}: ${excerpt}" onClick=${onClick}>
      <${Icon} name=${icon} />
    </button>
  `;
  return html`
    ${newDay && html`<p class="day quiet small"><span>${dayLabel(createdAt)}</span></p>`}
    <div class="message ${own ? 'own' : ''} ${isFirst ? '' : 'follows'}" data-message=${message._id} tabindex="-1">
      <span class="visually-hidden">${own ? 'You' : players.name(senderId)}: </span>
      ${!own && inGroup && html`<span class="message-face">${isFirst && html`<${Avatar} small wallet=${senderId} url=${players.avatar(senderId)} />`}</span>`}
      <div class="message-body">
        ${!own && inGroup && isFirst && html`<p class="message-sender small" aria-hidden="true">${players.name(senderId)}</p>`}
        ${
          original !== undefined &&
          html`
            <p class="replied small">
              <${Icon} name="reply" />
              ${original === null ? html`<em>Message removed</em>` : html`<span class="truncate"><strong>${players.name(original.senderId)}</strong> ${excerptOf(original.content)}</span>`}
            </p>
          `
        }
        <div class="bubble" title=${exactTime(createdAt)}>${content}</div>
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
        <p class="message-meta ${isLast || updatedAt > createdAt ? '' : 'visually-hidden'}">
          ${updatedAt > createdAt && html`<span title="Edited ${exactTime(updatedAt)}">edited</span>`}
          <time class=${isLast ? '' : 'visually-hidden'} datetime=${new Date(createdAt).toISOString()} title=${exactTime(createdAt)}>${clockTime(createdAt)}</time>
        </p>
        <div class="message-actions" role="group" aria-label="Actions">
          ${action('smile', 'React', props.onPick)}
          ${action('reply', 'Reply to', props.onReply)}
          ${own && action('edit', 'Edit', props.onEdit)}
          ${own ? action('trash', 'Unsend', props.onUnsend) : action('more', 'More about', props.onMore, ` ${players.name(senderId)} (report, block, mute)`)}
        </div>
      </div>
    </div>
  `;
}

/**
 * Whether a message continues the group of the one above it.
 * @param {Message | undefined} before
 * @param {Message} message
 */
function continues(before, message) {
  if (before === undefined || before.senderId !== message.senderId || !isSameDay(before, message))
    return false;
  return message.createdAt - before.createdAt < groupWithinMs;
}

/**
 * @param {Message} one
 * @param {Message} other
 */
function isSameDay(one, other) {
  return day.format(one.createdAt) === day.format(other.createdAt);
}

const characters = new Intl.Segmenter();

/** The start of a message, for labels, never a part of an emoji. @param {string} content */
export function excerptOf(content) {
  const next = characters.segment(content).containing(40);
  return next ? `${content.slice(0, next.index)}…` : content;
}

/** @param {number} at */
function dayLabel(at) {
  return day.format(at) === day.format(Date.now()) ? 'Today' : day.format(at);
}
