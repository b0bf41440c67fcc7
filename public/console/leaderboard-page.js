import { html } from 'htm/preact';
import { useState } from 'preact/hooks';
import { Button } from '../shared/button.js';
import { Icon } from '../shared/icon.js';
import { minuteTime } from '../shared/relative-time.js';
import { Empty, ErrorState, LoadingRows } from '../shared/states.js';
import { useAdmin } from './admin.js';
import { Allowed } from './allowed.js';
import { isoTime, TimeCell } from './cells.js';
import { ConfirmButton } from './confirm-button.js';
import { DataTable } from './data-table.js';
import { LeaderboardForm } from './leaderboard-form.js';
import { rankingOf, scheduleText } from './leaderboard-labels.js';
import { LeaderboardView } from './leaderboard-view.js';
import { asDuration } from './numbers.js';
import { usePages } from './queries.js';
import { goTo, linkTo } from './route.js';

/** @typedef {import('./leaderboard-labels.js').Leaderboard} Leaderboard */
/** @typedef {import('./admin.js').Output<'listLeaderboardSeasons'>['data'][number]} Season */

/**
 * One leaderboard: its standings in the current season or a finished one, or the list of its seasons.
 * @param {{
 *   game: import('./game-view.js').Game,
 *   name: string,
 *   part: string | undefined,
 *   boards: readonly Leaderboard[] | undefined,
 *   error: unknown,
 *   onChanged: () => void,
 * }} props `part`: `seasons`, or the number of one; `boards`: the game's leaderboards except `default`
 */
export function LeaderboardPage({ game, name, part, boards, error, onChanged }) {
  const back = html`<p class="crumb"><a class="back" href=${linkTo('games', game.slug, 'leaderboard')}><${Icon} name="arrowLeft" />All leaderboards</a></p>`;
  if (name === 'default') return html`${back}<${LeaderboardView} game=${game} name="default" />`;
  if (boards === undefined) {
    return html`${back}${error ? html`<${ErrorState} error=${error} onRetry=${onChanged} />` : html`<${LeaderboardLoading} />`}`;
  }
  const board = boards.find(({ leaderboard }) => leaderboard === name);
  if (!board) return html`${back}<${Empty} icon="trophy" title="Leaderboard not found" />`;
  const season = /^\d+$/.test(part ?? '') ? Number(part) : undefined;
  const finished = season !== undefined && season !== board.season ? season : undefined;
  return html`
    ${back}
    <div class="stacked-cards">
    <${Head} game=${game} board=${board} onChanged=${onChanged} />
    <${Parts} game=${game} board=${board} shown=${part === 'seasons' ? 'seasons' : (finished ?? 'places')} />
    ${
      part === 'seasons'
        ? html`<${Seasons} key=${board.season} game=${game} board=${board} />`
        : html`<${LeaderboardView} key="${finished ?? board.season}" game=${game} name=${name} season=${finished} board=${board} />`
    }
    </div>
  `;
}

function LeaderboardLoading() {
  return html`<${LoadingRows} label="Loading leaderboard" />`;
}

/** The leaderboard's settings and actions. @param {{ game: import('./game-view.js').Game, board: Leaderboard, onChanged: () => void }} props */
function Head({ game, board, onChanged }) {
  const admin = useAdmin();
  const [editing, setEditing] = useState(false);
  const { gameId } = game;
  const { leaderboard, season, seasonStartedAt, seasonEndsAt, schedule, keepSeasons, labels } = board;
  // With the season as its key, an open confirmation does not turn into one for the next season.
  return html`
    <section class="card board-head" aria-labelledby="board">
      <div class="card-head">
        <h2 id="board">${leaderboard}${!board.public && html` <span class="badge">not public</span>`}</h2>
        <div class="button-row">
          <${Allowed} to="updateLeaderboard"><${Button} size="small" onClick=${() => setEditing(true)}><${Icon} name="edit" />Edit<//><//>
          <${ConfirmButton}
            key=${season}
            needs="resetLeaderboard"
            label="End season ${season}"
            title="End season ${season} of ${leaderboard} now?"
            confirm="End season"
            act=${() => admin.call('resetLeaderboard', { gameId, leaderboard, season })}
            done="Season ${season} ended"
            reload=${onChanged}
          >
            <p>Its standings become final and stay readable, and season ${season + 1} begins with an empty leaderboard. Players, webhooks and rules are notified.</p>
            ${seasonEndsAt !== null && html`<p>It is scheduled to end on ${minuteTime(seasonEndsAt)}.</p>`}
          <//>
          <${ConfirmButton}
            needs="removeLeaderboard"
            label="Delete"
            kind="danger"
            title="Delete the leaderboard ${leaderboard}?"
            confirm="Delete"
            act=${() => admin.call('removeLeaderboard', { gameId, leaderboard })}
            done="Leaderboard ${leaderboard} deleted"
            onDone=${() => {
              onChanged();
              goTo('games', game.slug, 'leaderboard');
            }}
          >
            <p>All its scores are permanently deleted, including those of finished seasons. Further scores that the game sets on it are rejected.</p>
            <p>To keep them and only hide the leaderboard from players, edit it and clear “Public”.</p>
          <//>
        </div>
      </div>
      <dl class="card-body facts">
        <div><dt>Ranking</dt><dd>${rankingOf(board)}</dd></div>
        <div><dt>Season ${season}</dt><dd>began <${TimeCell} at=${seasonStartedAt} />${seasonEndsAt !== null && html`, ends <${TimeCell} at=${seasonEndsAt} />`}</dd></div>
        <div><dt>Schedule</dt><dd>${scheduleText(schedule)}</dd></div>
        <div><dt>Finished seasons</dt><dd>${keepSeasons === null ? 'all are kept' : `the last ${keepSeasons} are kept`}</dd></div>
        ${labels.length > 0 && html`<div><dt>Labels</dt><dd class="wrap">${labels.join(', ')}</dd></div>`}
      </dl>
    </section>
    ${
      editing &&
      html`<${LeaderboardForm} gameId=${gameId} board=${board} onClose=${() => setEditing(false)} onSaved=${() => {
        setEditing(false);
        onChanged();
      }} />`
    }
  `;
}

/** Links to the standings and the seasons. @param {{ game: import('./game-view.js').Game, board: Leaderboard, shown: 'places' | 'seasons' | number }} props */
function Parts({ game, board, shown }) {
  const link = (/** @type {string[]} */ ...rest) =>
    linkTo('games', game.slug, 'leaderboard', board.leaderboard, ...rest);
  return html`
    <nav class="segments" aria-label="Leaderboard views">
      <a class="segment" href=${link()} aria-current=${shown === 'places' ? 'page' : undefined}>Season ${board.season}</a>
      ${typeof shown === 'number' && html`<a class="segment" href=${link(String(shown))} aria-current="page">Season ${shown}</a>`}
      <a class="segment" href=${link('seasons')} aria-current=${shown === 'seasons' ? 'page' : undefined}>Finished seasons</a>
    </nav>
  `;
}

/** The finished seasons of a leaderboard. @param {{ game: import('./game-view.js').Game, board: Leaderboard }} props */
function Seasons({ game, board: { leaderboard } }) {
  const admin = useAdmin();
  const { gameId } = game;
  const pages = usePages(
    (page) => admin.call('listLeaderboardSeasons', { gameId, leaderboard, ...page }),
    (/** @type {Season} */ { season }) => String(season),
    [gameId, leaderboard],
  );
  /** @type {import('./virtual-table.js').Column<Season>[]} */
  const columns = [
    {
      title: 'Season',
      wide: true,
      cell: ({ season }) =>
        html`<a href=${linkTo('games', game.slug, 'leaderboard', leaderboard, String(season))}>Season ${season}</a>`,
      value: ({ season }) => season,
    },
    {
      title: 'Began',
      narrow: 'omit',
      cell: ({ startedAt }) => html`<${TimeCell} at=${startedAt} />`,
      value: ({ startedAt }) => isoTime(startedAt),
    },
    {
      title: 'Ended',
      cell: ({ endedAt }) => html`<${TimeCell} at=${endedAt} />`,
      value: ({ endedAt }) => isoTime(endedAt),
    },
    {
      title: 'Lasted',
      cell: ({ startedAt, endedAt }) => asDuration(endedAt - startedAt),
      value: ({ startedAt, endedAt }) => endedAt - startedAt,
    },
  ];
  return html`
    <${DataTable}
      caption="Finished seasons of ${leaderboard}"
      columns=${columns}
      pages=${pages}
      keyOf=${(/** @type {Season} */ { season }) => String(season)}
      fileName="${game.slug}-${leaderboard}-seasons"
      empty=${html`<${Empty} icon="clock" title="No season has ended yet"><p>Seasons end by the leaderboard's schedule, by the game's server, or with the button above.</p><//>`}
    />
  `;
}
