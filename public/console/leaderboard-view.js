import { html } from 'htm/preact';
import { useState } from 'preact/hooks';
import { Empty, ErrorState, LoadingRows } from '../shared/states.js';
import { Table } from '../shared/table.js';
import { useAdmin } from './admin.js';
import { isoTime, PlayerCell, TimeCell } from './cells.js';
import { ConfirmButton } from './confirm-button.js';
import { DataTable } from './data-table.js';
import { TextField } from './fields.js';
import { asCount, asScore } from './numbers.js';
import { usePages, useQuery } from './queries.js';
import { useDebounced } from './use-debounced.js';

/**
 * @typedef {import('./admin.js').Output<'getGameScoresLeaderboard'>['leaderboard'][number] & { position: number }} Row
 */

/** How many matching players are looked up on the leaderboard. */
const maxMatches = 20;

/**
 * A game's leaderboard, and the rank of a player searched for.
 * @param {{ game: import('./game-view.js').Game }} props
 */
export function LeaderboardView({ game }) {
  const admin = useAdmin();
  const { gameId } = game;
  const [search, setSearch] = useState('');
  const wanted = useDebounced(search.trim());
  const pages = usePages(
    async ({ limit, skip }) => {
      const { leaderboard } = await admin.callPublic('getGameScoresLeaderboard', { gameId, limit, skip });
      return { data: leaderboard.map((row, index) => ({ ...row, position: skip + index + 1 })) };
    },
    (/** @type {Row} */ row) => row.normalizedAddress,
    [gameId],
  );
  /** @type {import('./virtual-table.js').Column<Row>[]} */
  const columns = [
    {
      title: 'Rank',
      number: true,
      narrow: 'column',
      cell: ({ position }) => asCount(position),
      value: ({ position }) => position,
    },
    {
      title: 'Player',
      wide: true,
      cell: ({ normalizedAddress, username, avatar }) =>
        html`<${PlayerCell} wallet=${normalizedAddress} username=${username} avatar=${avatar} />`,
      value: ({ username }) => username,
    },
    {
      title: 'Wallet',
      exportOnly: true,
      cell: () => null,
      value: ({ normalizedAddress }) => normalizedAddress,
    },
    {
      title: 'Score',
      number: true,
      narrow: 'column',
      cell: ({ score }) => asScore(score),
      value: ({ score }) => score,
    },
    {
      title: 'Updated',
      cell: ({ updatedAt }) => html`<${TimeCell} at=${updatedAt} />`,
      value: ({ updatedAt }) => isoTime(updatedAt),
    },
    {
      title: 'Remove',
      hidden: true,
      cell: ({ _id, username, score }) => html`
        <${ConfirmButton}
          needs="removeScore"
          label="Remove score of ${username}"
          icon="trash"
          iconOnly
          kind="plain"
          title="Remove score ${asScore(score)} of ${username}?"
          confirm="Remove"
          act=${() => admin.call('removeScore', { gameId, scoreId: _id })}
          done="Score removed"
          onDone=${pages.reload}
        >
          <p>The record is permanently deleted. If the player has another score, it is ranked instead. Subscribers are updated immediately.</p>
        <//>
      `,
    },
  ];
  const searchField = html`<${TextField} label="Search players" hideLabel type="search" placeholder="Search by name or wallet" maxlength=${100} value=${search} onValue=${setSearch} />`;
  if (search.trim() !== '' && wanted !== '') {
    return html`
      <div class="card table-card">
        <div class="table-tools"><div class="filters">${searchField}</div></div>
        <${Found} gameId=${gameId} search=${wanted} columns=${columns} />
      </div>
    `;
  }
  return html`
    <${DataTable}
      caption="Leaderboard of ${game.name}"
      columns=${columns}
      pages=${pages}
      keyOf=${(/** @type {Row} */ row) => row.normalizedAddress}
      fileName="${game.slug}-leaderboard"
      empty=${html`<${Empty} icon="trophy" title="No scores yet"><p>Scores are set with <code>setUserScore</code> or by rules.</p><//>`}
    >
      ${searchField}
    <//>
  `;
}

/** @param {{ gameId: string, search: string, columns: import('./virtual-table.js').Column<Row>[] }} props */
function Found({ gameId, search, columns }) {
  const admin = useAdmin();
  const { result, error, reload } = useQuery(async () => {
    const { data } = await admin.call('listPlayers', { gameId, search, limit: maxMatches });
    const rows = await Promise.all(
      data.map(async ({ wallet }) => {
        const { position } = await admin.callPublic('getUsersPositionInGameScoreLeaderboard', {
          gameId,
          wallet,
        });
        if (position === undefined) return [];
        const { leaderboard } = await admin.callPublic('getGameScoresLeaderboard', {
          gameId,
          limit: 1,
          skip: position - 1,
        });
        return leaderboard.map((row) => ({ ...row, position }));
      }),
    );
    return rows.flat().toSorted((one, other) => one.position - other.position);
  }, [gameId, search]);
  if (error) return html`<${ErrorState} error=${error} onRetry=${reload} />`;
  if (result === undefined) return html`<${LoadingRows} label="Searching players" />`;
  return html`
    <${Table}
      caption="Matching players on the leaderboard"
      columns=${columns.filter(({ exportOnly }) => !exportOnly)}
      rows=${result}
      keyOf=${(/** @type {Row} */ row) => row.normalizedAddress}
      empty=${html`<${Empty} title="No matching players"><p>The search looks for a part of the name, or the wallet: whole, its beginning, or as it is shown.</p><//>`}
    />
  `;
}
