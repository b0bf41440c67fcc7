import { defaultName, shortAddress } from 'gantry-names';
import { html } from 'htm/preact';
import { useEffect, useId, useState } from 'preact/hooks';
import { messageOf } from '../shared/states.js';
import { useAdmin } from './admin.js';
import { TextField } from './fields.js';
import { useDebounced } from './use-debounced.js';

/** How many matching players are suggested. */
const maxSuggested = 8;

/** @typedef {{ search: string, players: readonly { wallet: string, username: string }[], problem: string }} Found */

/** @param {string} text */
const isWallet = (text) => /^0x[0-9a-f]{40}$/i.test(text);

/**
 * A field that filters rows by player, found by name or wallet as in the list of players; `wallet` is empty until
 * exactly one player matches. `isTyping`: the text has changed since, so `wallet` may be another player's.
 * @param {string | undefined} gameId the game whose players are searched; undefined: all games
 * @param {string} [label] shown above the field; a filter above a table needs none
 */
export function usePlayerFilter(gameId, label) {
  const admin = useAdmin();
  const listId = useId();
  const [text, setText] = useState('');
  const [found, setFound] = useState(/** @type {Found | null} */ (null));
  const search = useDebounced(text.trim());
  useEffect(() => {
    if (search === '' || isWallet(search)) return;
    let cancelled = false;
    admin.call('listPlayers', { ...(gameId !== undefined && { gameId }), search, limit: maxSuggested }).then(
      ({ data }) => !cancelled && setFound({ search, players: data, problem: '' }),
      (error) => !cancelled && setFound({ search, players: [], problem: messageOf(error) }),
    );
    return () => {
      cancelled = true;
    };
  }, [gameId, search, admin.reconnects]);
  const current = found?.search === search && search !== '' && !isWallet(search) ? found : null;
  const [only, second] = current?.players ?? [];
  const exact =
    current?.players.filter(({ wallet, username }) => (username || defaultName(wallet)) === search) ?? [];
  const chosen = exact.length === 1 ? exact[0] : second ? undefined : only;
  const problem =
    current && !chosen
      ? current.problem || tooManyOrNone(current.players.length, gameId !== undefined)
      : undefined;
  const field = html`
    <${TextField} label=${label ?? 'Filter by player'} hideLabel=${label === undefined} type="search" placeholder="Player or wallet" maxlength=${100} spellcheck=${false} autocomplete="off" list=${listId} value=${text} onValue=${setText} problem=${problem} />
    <datalist id=${listId}>
      ${current?.players.map(({ wallet, username }) => html`<option key=${wallet} value=${wallet} label=${`${username || defaultName(wallet)} · ${shortAddress(wallet)}`}></option>`)}
    </datalist>
  `;
  return {
    wallet: isWallet(search) ? search.toLowerCase() : (chosen?.wallet ?? ''),
    isTyping: text.trim() !== search,
    field,
  };
}

/** @param {number} count @param {boolean} isOfGame */
function tooManyOrNone(count, isOfGame) {
  if (count === 0) return isOfGame ? 'No player of this game matches' : 'No player matches';
  return `${count === maxSuggested ? 'Many' : count} players match: select one, or keep typing`;
}
