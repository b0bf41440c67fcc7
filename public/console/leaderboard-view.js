import { html } from 'htm/preact';
import { useState } from 'preact/hooks';
import { Empty, ErrorState, LoadingRows } from '../shared/states.js';
import { Table } from '../shared/table.js';
import { useAdmin } from './admin.js';
import { useAnswer, usePages } from './answers.js';
import { isoTime, PlayerCell, TimeCell } from './cells.js';
import { ConfirmButton } from './confirm-button.js';
import { DataTable } from './data-table.js';
import { TextField } from './fields.js';
import { asCount, asScore } from './numbers.js';
import { useSettled } from './use-settled.js';

/**
 * @typedef {import('./admin.js').Output<'getGameScoresLeaderboard'>['leaderboard'][number] & { position: number }} Row
 */

/** How many of the players found are looked up on the board. */
const foundAtOnce = 20;

/**
 * A game's leaderboard, and where a player stands on it.
 * @param {{ game: import('./game-view.js').Game }} props
 */
export function LeaderboardView({ game }) {
  const admin = useAdmin();
  const { gameId } = game;
  const [search, setSearch] = useState('');
  const wanted = useSettled(search.trim());
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
      title: 'Position',
      number: true,
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
    { title: 'Score', number: true, cell: ({ score }) => asScore(score), value: ({ score }) => score },
    {
      title: 'Set',
      cell: ({ updatedAt }) => html`<${TimeCell} at=${updatedAt} />`,
      value: ({ updatedAt }) => isoTime(updatedAt),
    },
    {
      title: 'Remove',
      hidden: true,
      cell: ({ _id, username, score }) => html`
        <${ConfirmButton}
          label="Remove the score of ${username}"
          icon="trash"
          iconOnly
          kind="plain"
          title="Remove the score ${asScore(score)} of ${username}?"
          confirm="Remove"
          act=${() => admin.call('removeScore', { gameId, scoreId: _id })}
          done="The score is removed"
          onDone=${pages.reload}
        >
          <p>The record is gone for good. If the player has another score, that one counts from now on; followers of the board see it at once.</p>
        <//>
      `,
    },
  ];
  const finder = html`<${TextField} label="Find a player" hideLabel type="search" placeholder="Find a player: name or wallet" maxlength=${100} value=${search} onValue=${setSearch} />`;
  if (search.trim() !== '' && wanted !== '') {
    return html`
      <div class="card table-card">
        <div class="table-tools"><div class="filters">${finder}</div></div>
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
      empty=${html`<${Empty} icon="trophy" title="No scores yet"><p>They come with <code>setUserScore</code>, or from rules.</p><//>`}
    >
      ${finder}
    <//>
  `;
}

/** @param {{ gameId: string, search: string, columns: import('./virtual-table.js').Column<Row>[] }} props */
function Found({ gameId, search, columns }) {
  const admin = useAdmin();
  const { answer, error, reload } = useAnswer(async () => {
    const { data } = await admin.call('listPlayers', { gameId, search, limit: foundAtOnce });
    const rows = await Promise.all(
      data.map(async ({ wallet }) => {
        const { position } = await admin.callPublic('getUsersPositionInGameScoreLeaderboard', {
          gameId,
          wallet,
        });
        if (position === null) return [];
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
  if (answer === undefined) return html`<${LoadingRows} label="Looking for the player" />`;
  return html`
    <${Table}
      caption="Players found on the leaderboard"
      columns=${columns.filter(({ exportOnly }) => !exportOnly)}
      rows=${answer}
      keyOf=${(/** @type {Row} */ row) => row.normalizedAddress}
      empty=${html`<${Empty} title="Nobody on the board is called so"><p>Names and wallets are found by how they begin.</p><//>`}
    />
  `;
}
