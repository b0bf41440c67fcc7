import { shortAddress } from 'gantry-names';
import { html } from 'htm/preact';
import { useState } from 'preact/hooks';
import { Avatar } from '../shared/avatar.js';
import { Button } from '../shared/button.js';
import { Dialog } from '../shared/dialog.js';
import { messageOf } from '../shared/states.js';

const isWallet = /^0x[0-9a-f]{40}$/i;

/**
 * Selects the participants of a new conversation: known players, or any wallet.
 * @param {import('./messages.js').InGame & {
 *   onClose: () => void,
 *   onStart: (wallets: string[]) => Promise<void>,
 * }} props
 */
export function NewConversation({ launcher, onClose, onStart }) {
  const { players, wallet: own } = launcher;
  const [chosen, setChosen] = useState(/** @type {readonly string[]} */ ([]));
  const [search, setSearch] = useState('');
  const [problem, setProblem] = useState('');
  const [busy, setBusy] = useState(false);
  const query = search.trim().toLowerCase();
  const suggested = players.wallets
    .filter((wallet) => wallet !== own)
    .filter((wallet) => players.name(wallet).toLowerCase().includes(query) || wallet.startsWith(query))
    .slice(0, 30);
  // A pasted wallet does not have to be a known player.
  const listed =
    isWallet.test(query) && query !== own && !suggested.includes(query) ? [query, ...suggested] : suggested;

  /** @param {string} wallet */
  const toggle = (wallet) =>
    setChosen(chosen.includes(wallet) ? chosen.filter((one) => one !== wallet) : [...chosen, wallet]);
  const start = async () => {
    setBusy(true);
    setProblem('');
    try {
      await onStart([...chosen]);
    } catch (error) {
      setProblem(messageOf(error));
      setBusy(false);
    }
  };
  return html`
    <${Dialog}
      title="New conversation"
      onClose=${onClose}
      actions=${html`
        <${Button} onClick=${onClose}>Cancel<//>
        <${Button} kind="primary" disabled=${chosen.length === 0} busy=${busy} onClick=${start}>
          ${chosen.length > 1 ? `Start with ${chosen.length} players` : 'Start'}
        <//>
      `}
    >
      <div class="field">
        <label for="participants">Participants</label>
        <input
          id="participants"
          class="input"
          type="text"
          autocomplete="off"
          spellcheck=${false}
          placeholder="Name or wallet (0x…)"
          value=${search}
          onInput=${(/** @type {Event} */ event) => setSearch(/** @type {HTMLInputElement} */ (event.currentTarget).value)}
        />
      </div>
      <fieldset class="people">
        <legend class="visually-hidden">Players</legend>
        ${
          listed.length === 0
            ? html`<p class="quiet">${query === '' ? 'No players yet. Paste a wallet address to start a conversation.' : 'No matching players. Paste a complete wallet address to message a new player.'}</p>`
            : listed.map(
                (wallet) => html`
                  <label key=${wallet} class="person">
                    <input type="checkbox" checked=${chosen.includes(wallet)} onChange=${() => toggle(wallet)} />
                    <${Avatar} small wallet=${wallet} url=${players.avatar(wallet)} />
                    <span class="truncate">${players.name(wallet)}</span>
                    ${players.name(wallet) !== shortAddress(wallet) && html`<span class="quiet small mono">${shortAddress(wallet)}</span>`}
                  </label>
                `,
              )
        }
      </fieldset>
      ${problem && html`<p class="banner bad" role="alert">${problem}</p>`}
    <//>
  `;
}
