import { html } from 'htm/preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Avatar } from '../shared/avatar.js';
import { Button } from '../shared/button.js';
import { Icon } from '../shared/icon.js';
import { Empty, ErrorState, LoadingRows } from '../shared/states.js';
import { toastError } from './launcher.js';

const numbers = new Intl.NumberFormat('en');

/**
 * The game's leaderboard, live.
 * @param {{
 *   launcher: import('./launcher.js').Launcher,
 *   current: import('./open-game.js').OpenGame,
 *   onTalkTo: (wallets: string[]) => Promise<void>,
 * }} props
 */
export function Leaderboard({ launcher, current, onTalkTo }) {
  const { rows, error, position } = current.stream;
  if (error !== null) {
    return html`<${ErrorState} error=${error} title="Could not load the leaderboard" onRetry=${() => current.stream.follow()} />`;
  }
  if (rows === null) return html`<${LoadingRows} rows=${6} label="Loading leaderboard" />`;
  if (rows.length === 0) {
    return html`<${Empty} icon="trophy" title="No scores yet"><p>Be the first to set one.</p><//>`;
  }
  const ownRow = rows.some(({ normalizedAddress }) => normalizedAddress === launcher.wallet);
  return html`
    <ol role="list" class="board" aria-label="Leaderboard">
      ${rows.map(
        (row) =>
          html`<${BoardRow} key=${row.normalizedAddress} row=${row} own=${row.normalizedAddress === launcher.wallet} onTalkTo=${onTalkTo} />`,
      )}
    </ol>
    ${
      !ownRow &&
      html`<p class="board-own quiet">${position === null ? 'You have no score yet.' : `Your rank: ${numbers.format(position)}`}</p>`
    }
  `;
}

/**
 * @param {{
 *   row: import('./public-stream.js').Row,
 *   own: boolean,
 *   onTalkTo: (wallets: string[]) => Promise<void>,
 * }} props
 */
function BoardRow({ row, own, onTalkTo }) {
  const { normalizedAddress: wallet, username, avatar, score, position } = row;
  const before = useRef(score);
  const [moved, setMoved] = useState(false);
  useEffect(() => {
    if (before.current === score) return;
    before.current = score;
    setMoved(true);
  }, [score]);
  return html`
    <li class="board-row ${own ? 'own' : ''} ${moved ? 'moved' : ''}" onAnimationEnd=${() => setMoved(false)}>
      <span class="place numeric" data-place=${position}><span class="visually-hidden">Rank </span>${position}</span>
      <${Avatar} small wallet=${wallet} url=${avatar} />
      <span class="board-name truncate" title=${wallet}>${username}${own && html` <span class="you">you</span>`}</span>
      <span class="board-score numeric">${numbers.format(score)}</span>
      ${
        own
          ? html`<span class="board-action"></span>`
          : html`
              <span class="board-action">
                <${Button} kind="plain" size="small" iconOnly label="Message ${username}" onClick=${() => onTalkTo([wallet]).catch(toastError)}>
                  <${Icon} name="chat" />
                <//>
              </span>
            `
      }
    </li>
  `;
}
