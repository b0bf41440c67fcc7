import { html } from 'htm/preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Avatar } from '../shared/avatar.js';
import { Button } from '../shared/button.js';
import { Icon } from '../shared/icon.js';
import { minuteTime, RelativeTime } from '../shared/relative-time.js';
import { asScore } from '../shared/score.js';
import { Empty, ErrorState, LoadingRows } from '../shared/states.js';
import { toastError } from '../shared/toasts.js';

const numbers = new Intl.NumberFormat('en');
const day = new Intl.DateTimeFormat('en', { dateStyle: 'medium' });

/** Limits on how much of a score's metadata is shown. */
const maxFields = 3;
const maxTextLength = 40;

/**
 * @typedef {{
 *   launcher: import('./launcher.js').Launcher,
 *   current: import('./open-game.js').OpenGame,
 *   onTalkTo: (wallets: string[]) => Promise<void>,
 * }} Props
 */

/**
 * The game's leaderboards, live: `default` or a selected one, for the current season or a finished one.
 * @param {Props} props
 */
export function Leaderboard({ launcher, current, onTalkTo }) {
  const { stream, boards } = current;
  const { chosen, board, season } = boards;
  const shown = chosen === null ? stream : boards;
  const retry = () => (chosen === null ? stream.follow() : boards.load());
  return html`
    ${boards.list.length > 0 && html`<${BoardChoice} boards=${boards} />`}
    ${
      shown.error !== null
        ? html`<${ErrorState} error=${shown.error} title="Could not load the leaderboard" onRetry=${retry} />`
        : html`<${Rows} key="${chosen} ${season}" launcher=${launcher} rows=${shown.rows} position=${shown.position} several=${board?.entries === 'all'} finished=${season !== null} onTalkTo=${onTalkTo} />`
    }
  `;
}

/** @param {{ boards: import('./named-boards.js').NamedBoards }} props */
function BoardChoice({ boards }) {
  const { list, chosen, board, season, seasons } = boards;
  const ended = seasons.find((one) => one.season === season);
  /** @param {Event} event */
  const chooseBoard = ({ currentTarget }) => {
    const { value } = /** @type {HTMLSelectElement} */ (currentTarget);
    boards.choose(value || null);
  };
  /** @param {Event} event */
  const chooseSeason = ({ currentTarget }) => {
    const { value } = /** @type {HTMLSelectElement} */ (currentTarget);
    boards.choose(chosen, value === '' ? null : Number(value));
  };
  return html`
    <div class="board-choice">
      <select class="input" aria-label="Leaderboard" value=${chosen ?? ''} onChange=${chooseBoard}>
        <option value="" selected=${chosen === null}>All time</option>
        ${list.map(({ leaderboard }) => html`<option key=${leaderboard} value=${leaderboard} selected=${leaderboard === chosen}>${titleOf(leaderboard)}</option>`)}
      </select>
      ${
        board !== null &&
        (board.season > 1 || seasons.length > 0) &&
        html`
          <select class="input" aria-label="Season" value=${season ?? ''} onChange=${chooseSeason}>
            <option value="" selected=${season === null}>Season ${board.season}, current</option>
            ${seasons.map((one) => html`<option key=${one.season} value=${one.season} selected=${one.season === season}>Season ${one.season}, ended ${day.format(one.endedAt)}</option>`)}
          </select>
        `
      }
      ${
        board !== null &&
        html`
          <p class="quiet small" role="status">
            ${
              season !== null
                ? html`Season ${season} is over${ended ? `: it ended on ${minuteTime(ended.endedAt)}` : ''}. These are the final standings.`
                : board.seasonEndsAt === null
                  ? `Season ${board.season} is in progress.`
                  : html`Season ${board.season} ends <${RelativeTime} at=${board.seasonEndsAt} />, on ${minuteTime(board.seasonEndsAt)}.`
            }
          </p>
        `
      }
    </div>
  `;
}

/** Formats `weekly-cup` as `Weekly cup`. @param {string} name */
function titleOf(name) {
  const words = name.replaceAll(/[-_]/g, ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/**
 * @param {{
 *   launcher: import('./launcher.js').Launcher,
 *   rows: readonly BoardRowOf[] | null,
 *   position: number | null,
 *   several: boolean,
 *   finished: boolean,
 *   onTalkTo: (wallets: string[]) => Promise<void>,
 * }} props `several`: a player can have several rows
 */
function Rows({ launcher, rows, position, several, finished, onTalkTo }) {
  if (rows === null) return html`<${LoadingRows} rows=${6} label="Loading leaderboard" />`;
  if (rows.length === 0) {
    return finished
      ? html`<${Empty} icon="trophy" title="No scores in this season" />`
      : html`<${Empty} icon="trophy" title="No scores yet"><p>Be the first to set one.</p><//>`;
  }
  const ownRow = rows.some(({ normalizedAddress }) => normalizedAddress === launcher.wallet);
  return html`
    <ol role="list" class="board" aria-label="Leaderboard">
      ${rows.map(
        (row) =>
          html`<${BoardRow} key=${several ? row._id : row.normalizedAddress} row=${row} own=${row.normalizedAddress === launcher.wallet} onTalkTo=${onTalkTo} />`,
      )}
    </ol>
    ${
      !ownRow &&
      html`<p class="board-own quiet">${position === null ? (finished ? 'You had no score.' : 'You have no score yet.') : `Your rank: ${numbers.format(position)}`}</p>`
    }
  `;
}

/** @typedef {import('./public-stream.js').Row & { metadata?: Record<string, unknown> }} BoardRowOf */

/**
 * @param {{
 *   row: BoardRowOf,
 *   own: boolean,
 *   onTalkTo: (wallets: string[]) => Promise<void>,
 * }} props
 */
function BoardRow({ row, own, onTalkTo }) {
  const { normalizedAddress: wallet, username, avatar, score, position, metadata } = row;
  const before = useRef(score);
  const [moved, setMoved] = useState(false);
  useEffect(() => {
    if (before.current === score) return;
    before.current = score;
    setMoved(true);
  }, [score]);
  const details = detailsOf(metadata);
  return html`
    <li class="board-row ${own ? 'own' : ''} ${moved ? 'moved' : ''}" onAnimationEnd=${() => setMoved(false)}>
      <span class="place numeric" data-place=${position}><span class="visually-hidden">Rank </span>${position}</span>
      <${Avatar} small wallet=${wallet} url=${avatar} />
      <span class="board-who">
        <span class="board-name truncate" title=${wallet}>${username}${own && html` <span class="you">you</span>`}</span>
        ${details && html`<span class="board-details quiet small truncate">${details}</span>`}
      </span>
      <span class="board-score numeric">${asScore(score)}</span>
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

/** The short texts and numbers in a score's metadata. @param {Record<string, unknown> | undefined} metadata */
function detailsOf(metadata = {}) {
  return Object.entries(metadata)
    .filter(
      ([, value]) =>
        typeof value === 'number' || (typeof value === 'string' && value.length <= maxTextLength),
    )
    .slice(0, maxFields)
    .map(([name, value]) => `${titleOf(name)}: ${typeof value === 'number' ? asScore(value) : value}`)
    .join(' · ');
}
