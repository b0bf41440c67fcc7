import { html } from 'htm/preact';
import { useState } from 'preact/hooks';
import { Button } from '../shared/button.js';
import { Icon } from '../shared/icon.js';
import { Table } from '../shared/table.js';
import { useAdmin } from './admin.js';
import { Allowed } from './allowed.js';
import { TimeCell } from './cells.js';
import { LeaderboardForm } from './leaderboard-form.js';
import { rankingOf } from './leaderboard-labels.js';
import { LeaderboardPage } from './leaderboard-page.js';
import { LeaderboardView } from './leaderboard-view.js';
import { useQuery, useReloadWhenPassed } from './queries.js';
import { goTo, linkTo } from './route.js';

/** @typedef {import('./leaderboard-labels.js').Leaderboard} Leaderboard */

/**
 * The leaderboards of a game with the standings of `default`; or one of them.
 * @param {{ game: import('./game-view.js').Game, name: string | undefined, part: string | undefined }} props `part`: `seasons`,
 *   or the number of one
 */
export function LeaderboardsView({ game, name, part }) {
  const admin = useAdmin();
  const { gameId } = game;
  const { result, error, reload } = useQuery(() => admin.call('listLeaderboards', { gameId }), [gameId]);
  useReloadWhenPassed(result?.leaderboards, ({ seasonEndsAt }) => [seasonEndsAt], reload);
  const [creating, setCreating] = useState(false);
  // Shown immediately, before the list is reloaded.
  const [added, setAdded] = useState(/** @type {Leaderboard | null} */ (null));
  const listed = result?.leaderboards;
  const isListed = added === null || listed?.some(({ leaderboard }) => leaderboard === added.leaderboard);
  const boards = listed && added && !isListed ? [...listed, added] : listed;
  const changed = () => {
    setAdded(null);
    reload();
  };
  const created = (/** @type {Leaderboard} */ board) => {
    setCreating(false);
    setAdded(board);
    reload();
    goTo('games', game.slug, 'leaderboard', board.leaderboard);
  };
  if (name !== undefined) {
    return html`<${LeaderboardPage} key=${name} game=${game} name=${name} part=${part} boards=${boards} error=${error} onChanged=${changed} />`;
  }
  return html`
    <div class="stacked-cards">
      <section class="card" aria-labelledby="leaderboards">
        <div class="card-head">
          <h2 id="leaderboards">Leaderboards</h2>
          <${Allowed} to="createLeaderboard"><${Button} size="small" onClick=${() => setCreating(true)}><${Icon} name="plus" />New leaderboard<//><//>
        </div>
        ${
          boards?.length === 0
            ? html`<p class="card-body quiet">Only <code>default</code>, shown below. Others have a name, separate rules and seasons.</p>`
            : html`<${Table}
          caption="Leaderboards of ${game.name}"
          columns=${columnsOf(game)}
          rows=${boards && [defaultOf(game), ...boards]}
          keyOf=${(/** @type {Row} */ { leaderboard }) => leaderboard}
          error=${error}
          onRetry=${reload}
        />`
        }
      </section>
      <${LeaderboardView} game=${game} name="default" />
    </div>
    ${
      creating &&
      html`<${LeaderboardForm} gameId=${gameId} onClose=${() => setCreating(false)} onSaved=${created} />`
    }
  `;
}

/** @typedef {Omit<Leaderboard, 'season'> & { season: number | null }} Row `season`: null when it has no seasons */

/** The row of the `default` leaderboard. @param {import('./game-view.js').Game} game @returns {Row} */
function defaultOf({ gameId, policies: { leaderboard }, createdAt }) {
  return {
    leaderboard: 'default',
    gameId,
    ...leaderboard,
    entries: 'player',
    public: true,
    labels: [],
    season: null,
    seasonStartedAt: createdAt,
    seasonEndsAt: null,
    schedule: null,
    keepSeasons: null,
    createdAt,
    updatedAt: createdAt,
  };
}

/**
 * @param {import('./game-view.js').Game} game
 * @returns {import('../shared/table.js').Column<Row>[]}
 */
function columnsOf({ slug }) {
  return [
    {
      title: 'Name',
      narrow: 'main',
      wide: true,
      cell: ({ leaderboard, public: isPublic }) => html`
        <span class="name-cell">
          <a class="truncate" href=${linkTo('games', slug, 'leaderboard', leaderboard)}>${leaderboard}</a>
          ${!isPublic && html`<span class="badge">not public</span>`}
        </span>
      `,
    },
    {
      title: 'Ranking',
      narrow: 'bare',
      cell: (board) => html`<span class="nowrap">${rankingOf(board)}</span>`,
    },
    {
      title: 'Entries',
      narrow: 'omit',
      cell: ({ entries }) =>
        html`<span class="nowrap">${entries === 'all' ? 'every score' : 'one per player'}</span>`,
    },
    {
      title: 'Season',
      number: true,
      cell: ({ season }) => (season === null ? html`<span class="quiet">–</span>` : season),
    },
    {
      title: 'Season ends',
      cell: ({ season, seasonEndsAt }) =>
        html`<${TimeCell} at=${seasonEndsAt} none=${season === null ? '–' : 'not scheduled'} />`,
    },
  ];
}
