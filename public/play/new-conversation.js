import { shortAddress } from 'gantry-names';
import { html } from 'htm/preact';
import { useEffect, useState } from 'preact/hooks';
import { Avatar } from '../shared/avatar.js';
import { Button } from '../shared/button.js';
import { Dialog } from '../shared/dialog.js';
import { useChanges } from '../shared/observable.js';
import { messageOf } from '../shared/states.js';

const isWallet = /^0x[0-9a-f]{40}$/i;
const shown = 30;
/** Shorter texts are searched among the players met so far only. */
const minSearchLength = 2;
const searchDelayMs = 300;

/**
 * Selects the participants of a new conversation: players of the game, or any wallet. Enter adds the first player found
 * and, with an empty field, starts the conversation.
 * @param {import('./messages.js').InGame & {
 *   onClose: () => void,
 *   onStart: (wallets: string[]) => Promise<void>,
 * }} props
 */
export function NewConversation({ launcher, current, onClose, onStart }) {
  const { players, wallet: own } = launcher;
  const { search } = current;
  useChanges(search);
  const [chosen, setChosen] = useState(/** @type {readonly string[]} */ ([]));
  const [typed, setTyped] = useState('');
  const [problem, setProblem] = useState('');
  const [busy, setBusy] = useState(false);
  const query = typed.trim().toLowerCase();
  const matching = search.found(query).filter((wallet) => wallet !== own);
  const isComplete = isWallet.test(query);
  // A pasted wallet does not have to be a known player.
  if (isComplete && query !== own && !matching.includes(query)) matching.unshift(query);
  const listed = [...chosen, ...matching.filter((wallet) => !chosen.includes(wallet)).slice(0, shown)];
  const isFound = matching.length > 0;

  const searchOn = () => search.search(query).catch((error) => setProblem(messageOf(error)));
  useEffect(() => {
    if (query.length < minSearchLength || isFound) return;
    const timer = setTimeout(searchOn, searchDelayMs);
    return () => clearTimeout(timer);
  }, [query]);

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
  /** @param {KeyboardEvent} event */
  const pressed = (event) => {
    if (event.key !== 'Enter' || event.isComposing) return;
    event.preventDefault();
    const first = matching.find((wallet) => !chosen.includes(wallet));
    if (query !== '' && first !== undefined) {
      toggle(first);
      setTyped('');
    } else if (query === '' && chosen.length > 0) start();
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
          aria-describedby="participants-hint"
          value=${typed}
          onInput=${(/** @type {Event} */ event) => setTyped(/** @type {HTMLInputElement} */ (event.currentTarget).value)}
          onKeyDown=${pressed}
        />
        <p class="hint" id="participants-hint">Finds players by the beginning of their name, and those on leaderboards.</p>
      </div>
      <fieldset class="people">
        <legend class="visually-hidden">Players</legend>
        ${listed.map(
          (wallet) => html`
            <label key=${wallet} class="person">
              <input type="checkbox" checked=${chosen.includes(wallet)} onChange=${() => toggle(wallet)} />
              <${Avatar} small wallet=${wallet} url=${players.avatar(wallet)} />
              <span class="truncate" title=${players.name(wallet)}>${players.name(wallet)}</span>
              ${players.name(wallet) !== shortAddress(wallet) && html`<span class="quiet small mono">${shortAddress(wallet)}</span>`}
            </label>
          `,
        )}
      </fieldset>
      <p class="quiet small" role="status">
        ${
          search.isSearching
            ? 'Searching…'
            : query.length < minSearchLength || isComplete
              ? listed.length === 0 && 'No players yet. Paste a wallet to start a conversation.'
              : matching.length > shown
                ? `${matching.length - shown} more match: type more of the name.`
                : !isFound &&
                  `No match${search.hasMore ? ' so far' : ''}. To message another player, enter the complete wallet.`
        }
      </p>
      ${
        !search.isSearching &&
        search.hasMore &&
        query.length >= minSearchLength &&
        !isComplete &&
        html`<p><${Button} size="small" onClick=${searchOn}>Search lower ranks<//></p>`
      }
      ${problem && html`<p class="banner bad" role="alert">${problem}</p>`}
    <//>
  `;
}
