import { html } from 'htm/preact';
import { useState } from 'preact/hooks';
import { Button } from '../shared/button.js';
import { Dialog } from '../shared/dialog.js';
import { exactTime } from '../shared/relative-time.js';
import { isoTime, PlayerCell, TimeCell } from './cells.js';
import { ConfirmButton } from './confirm-button.js';

/** @typedef {import('./admin.js').Output<'listMessages'>['data'][number]} Message */

/** The text. @type {import('./virtual-table.js').Column<Message>} */
export const textColumn = {
  title: 'Message',
  wide: true,
  cell: (message) => html`<${MessageText} message=${message} />`,
  value: ({ content }) => content,
};

/** @type {import('./virtual-table.js').Column<Message>} */
export const sentColumn = {
  title: 'Sent',
  narrow: 'bare',
  cell: ({ createdAt }) => html`<${TimeCell} at=${createdAt} />`,
  value: ({ createdAt }) => isoTime(createdAt),
};

/**
 * A button that removes the message. `reload` loads the messages again.
 * @param {import('./admin.js').Admin} admin
 * @param {() => void} reload
 * @returns {import('./virtual-table.js').Column<Message>}
 */
export function removalColumn(admin, reload) {
  return {
    title: 'Remove',
    hidden: true,
    cell: ({ _id, content }) => html`
      <${ConfirmButton}
        needs="removeMessage"
        label="Remove"
        title="Remove this message?"
        confirm="Remove"
        act=${() => admin.call('removeMessage', { messageId: _id })}
        done="Message removed"
        reload=${reload}
      >
        <blockquote class="quote">${content}</blockquote>
        <p>Its content is permanently deleted, here and in every launcher.</p>
      <//>
    `,
  };
}

/** A message's text, truncated; a click shows all of it. @param {{ message: Message }} props */
function MessageText({ message: { senderId, content, createdAt, updatedAt } }) {
  const [isOpen, setOpen] = useState(false);
  const close = () => setOpen(false);
  const isEdited = updatedAt > createdAt;
  return html`
    <button type="button" class="row-text truncate" aria-haspopup="dialog" onClick=${() => setOpen(true)}>
      ${content}${isEdited ? html` <span class="quiet small">edited</span>` : ''}
    </button>
    ${
      isOpen &&
      html`
        <${Dialog} title="Message" onClose=${close} actions=${html`<${Button} onClick=${close}>Close<//>`}>
          <dl class="facts">
            <div><dt>From</dt><dd><${PlayerCell} wallet=${senderId} /></dd></div>
            <div><dt>Sent</dt><dd>${exactTime(createdAt)}</dd></div>
            ${isEdited && html`<div><dt>Edited</dt><dd>${exactTime(updatedAt)}</dd></div>`}
          </dl>
          <blockquote class="quote">${content}</blockquote>
        <//>
      `
    }
  `;
}
