import { html } from 'htm/preact';
import { Avatar } from '../shared/avatar.js';
import { clockTime, exactTime } from '../shared/relative-time.js';

/** Messages of one sender within this time of each other are grouped, in milliseconds. */
const groupWithinMs = 5 * 60 * 1000;
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
 *   onEdit: () => void,
 *   onUnsend: () => void,
 * }} props `before` is the message above it
 */
export function MessageItem({ message, before, own, players, inGroup, onEdit, onUnsend }) {
  const { senderId, content, createdAt, updatedAt } = message;
  const newDay = before === undefined || day.format(before.createdAt) !== day.format(createdAt);
  const follows = !newDay && before.senderId === senderId && createdAt - before.createdAt < groupWithinMs;
  return html`
    ${newDay && html`<p class="day quiet small"><span>${dayLabel(createdAt)}</span></p>`}
    <div class="message ${own ? 'own' : ''} ${follows ? 'follows' : ''}">
      <span class="visually-hidden">${own ? 'You' : players.name(senderId)}: </span>
      ${!own && inGroup && html`<span class="message-face">${!follows && html`<${Avatar} small wallet=${senderId} url=${players.avatar(senderId)} />`}</span>`}
      <div class="message-body">
        ${!own && inGroup && !follows && html`<p class="message-sender small" aria-hidden="true">${players.name(senderId)}</p>`}
        <div class="bubble">${content}</div>
        <p class="message-meta">
          ${
            own &&
            html`
              <span class="message-actions">
                <button type="button" class="link" onClick=${onEdit} aria-label="Edit: ${excerptOf(content)}">Edit</button>
                <button type="button" class="link" onClick=${onUnsend} aria-label="Unsend: ${excerptOf(content)}">Unsend</button>
              </span>
            `
          }
          ${updatedAt > createdAt && html`<span title="Edited ${exactTime(updatedAt)}">edited</span>`}
          <time datetime=${new Date(createdAt).toISOString()} title=${exactTime(createdAt)}>${clockTime(createdAt)}</time>
        </p>
      </div>
    </div>
  `;
}

/** The start of a message, for labels. @param {string} content */
function excerptOf(content) {
  return content.length > 40 ? `${content.slice(0, 40)}…` : content;
}

/** @param {number} at */
function dayLabel(at) {
  return day.format(at) === day.format(Date.now()) ? 'Today' : day.format(at);
}
