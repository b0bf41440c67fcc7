import { defaultName } from 'gantry-names';
import { html } from 'htm/preact';
import { useState } from 'preact/hooks';
import { Avatar } from '../shared/avatar.js';
import { Button } from '../shared/button.js';
import { Dialog } from '../shared/dialog.js';
import { messageOf } from '../shared/states.js';

/**
 * The players that the player has blocked in every game or in this one.
 * @param {import('./messages.js').InGame & { onClose: () => void }} props
 */
export function BlockedList({ launcher, current, onClose }) {
  const { blocked } = current;
  const [busy, setBusy] = useState('');
  const [problem, setProblem] = useState('');
  /** @param {string} wallet */
  const unblock = async (wallet) => {
    setBusy(wallet);
    setProblem('');
    try {
      await blocked.unblock(wallet);
    } catch (error) {
      setProblem(messageOf(error));
    }
    setBusy('');
  };
  return html`
    <${Dialog} title="Blocked players" onClose=${onClose} actions=${html`<${Button} onClick=${onClose}>Done<//>`}>
      ${problem && html`<p class="banner bad" role="alert">${problem}</p>`}
      ${
        blocked.names.size === 0
          ? html`<p class="quiet">No blocked players.</p>`
          : html`
              <ul role="list" class="members">
                ${[...blocked.names].map(([wallet, username]) => {
                  const name = username || defaultName(wallet);
                  return html`
                    <li key=${wallet} class="member">
                      <${Avatar} wallet=${wallet} url=${launcher.players.avatar(wallet)} />
                      <div class="member-text"><strong class="truncate">${name}</strong></div>
                      <${Button} size="small" busy=${busy === wallet} onClick=${() => unblock(wallet)} aria-label="Unblock ${name}">Unblock<//>
                    </li>
                  `;
                })}
              </ul>
            `
      }
    <//>
  `;
}
