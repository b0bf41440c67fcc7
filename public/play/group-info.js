import { html } from 'htm/preact';
import { useState } from 'preact/hooks';
import { Address } from '../shared/address.js';
import { Avatar } from '../shared/avatar.js';
import { Button } from '../shared/button.js';
import { Dialog } from '../shared/dialog.js';
import { Icon } from '../shared/icon.js';
import { messageOf } from '../shared/states.js';
import { PlayerActions } from './player-actions.js';

/** README.md, "Message channels". */
const maxNameLength = 100;

/**
 * A conversation's name and participants, editable as the player's permissions allow.
 * @param {import('./messages.js').InGame & {
 *   conversation: import('./conversation-state.js').ConversationState,
 *   onClose: () => void,
 * }} props
 */
export function GroupInfo({ launcher, current, conversation, onClose }) {
  const { channel, participants } = conversation;
  const { conversations } = current;
  const { players, wallet: own } = launcher;
  const { isConnected } = launcher.connectionState;
  const [name, setName] = useState(channel.name);
  const [newcomer, setNewcomer] = useState('');
  const [busy, setBusy] = useState('');
  const [problem, setProblem] = useState('');
  const [leaving, setLeaving] = useState(false);
  const { places } = launcher;
  const acting = places.dialog('member');
  const permissions = channel.participants.find(({ wallet }) => wallet === own)?.permissions ?? [];
  /** @param {import('../../src/features/messages/message-channel.ts').Permission} permission */
  const may = (permission) => permissions.includes(permission) || permissions.includes('super-admin');

  /**
   * @param {string} what
   * @param {() => Promise<void>} change
   */
  const run = async (what, change) => {
    setBusy(what);
    setProblem('');
    await change().catch((error) => setProblem(messageOf(error)));
    setBusy('');
  };
  /** @param {Event} event */
  const rename = (event) => {
    event.preventDefault();
    run('name', () => conversations.rename(name.trim()));
  };
  /** @param {Event} event */
  const add = (event) => {
    event.preventDefault();
    run('add', async () => {
      await conversations.add(newcomer.trim());
      setNewcomer('');
    });
  };
  return html`
    <${Dialog}
      title="Conversation details"
      onClose=${onClose}
      actions=${
        leaving
          ? html`
              <span class="leave-question">Leave this conversation? Your messages are kept.</span>
              <${Button} onClick=${() => setLeaving(false)}>Cancel<//>
              <${Button} kind="danger" busy=${busy === 'leave'} onClick=${() => run('leave', () => conversations.remove(own))}>Leave<//>
            `
          : html`
              <${Button} kind="plain" onClick=${() => setLeaving(true)}>Leave conversation<//>
              <${Button} onClick=${onClose}>Done<//>
            `
      }
    >
      ${
        may('edit-info') &&
        html`
          <form class="field" onSubmit=${rename}>
            <label for="group-name">Name</label>
            <div class="field-row">
              <input
                id="group-name"
                class="input"
                type="text"
                maxlength=${maxNameLength}
                placeholder="Optional"
                value=${name}
                onInput=${(/** @type {Event} */ event) => setName(/** @type {HTMLInputElement} */ (event.currentTarget).value)}
              />
              <${Button} type="submit" busy=${busy === 'name'} disabled=${name.trim() === channel.name}>Rename<//>
            </div>
          </form>
        `
      }
      <div>
        <h3>${channel.participants.length} participants</h3>
        <ul role="list" class="members">
          ${channel.participants.map(({ wallet, permissions: theirs }) => {
            const present = isConnected ? participants.get(wallet)?.present : undefined;
            const presence = present === undefined ? '' : ` · ${present ? 'online' : 'offline'}`;
            return html`
              <li key=${wallet} class="member">
                <${Avatar} wallet=${wallet} url=${players.avatar(wallet)} present=${present} />
                <div class="member-text">
                  <span class="truncate">
                    <strong>${players.name(wallet)}</strong>${wallet === own ? ' (you)' : ''}
                    <span class="quiet small">${presence}${theirs.includes('super-admin') ? ' · admin' : ''}${current.blocked.has(wallet) ? ' · blocked' : ''}</span>
                  </span>
                  <${Address} wallet=${wallet} />
                </div>
                ${wallet !== own && html`<${Button} size="small" kind="plain" iconOnly label="Report, block or mute ${players.name(wallet)}" onClick=${() => places.openDialog('member', wallet)}><${Icon} name="more" /><//>`}
                ${
                  wallet !== own &&
                  permissions.includes('super-admin') &&
                  html`
                    <${Button} size="small" busy=${busy === wallet} onClick=${() => run(wallet, () => conversations.remove(wallet))} aria-label="Remove ${players.name(wallet)}">
                      Remove
                    <//>
                  `
                }
              </li>
            `;
          })}
        </ul>
      </div>
      ${
        may('add-members') &&
        html`
          <form class="field" onSubmit=${add}>
            <label for="newcomer">Add participant</label>
            <div class="field-row">
              <input
                id="newcomer"
                class="input mono"
                type="text"
                autocomplete="off"
                spellcheck=${false}
                placeholder="0x…"
                value=${newcomer}
                onInput=${(/** @type {Event} */ event) => setNewcomer(/** @type {HTMLInputElement} */ (event.currentTarget).value)}
              />
              <${Button} type="submit" busy=${busy === 'add'} disabled=${newcomer.trim() === ''}>Add<//>
            </div>
            <p class="hint">New participants can read earlier messages.</p>
          </form>
        `
      }
      ${problem && html`<p class="banner bad" role="alert">${problem}</p>`}
    <//>
    ${acting && html`<${PlayerActions} launcher=${launcher} current=${current} wallet=${acting} canMute=${permissions.includes('super-admin')} onClose=${() => places.closeDialog('member')} />`}
  `;
}
