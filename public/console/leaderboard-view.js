import { html } from 'htm/preact';
import { useState } from 'preact/hooks';
import { Button } from '../shared/button.js';
import { Icon } from '../shared/icon.js';
import { asScore } from '../shared/score.js';
import { Empty, ErrorState, LoadingRows } from '../shared/states.js';
import { Table } from '../shared/table.js';
import { useAdmin } from './admin.js';
import { isoTime, PlayerCell, TimeCell } from './cells.js';
import { ConfirmButton } from './confirm-button.js';
import { DataTable } from './data-table.js';
import { SelectField, TextField } from './fields.js';
import { asCount } from './numbers.js';
import { usePages, useQuery } from './queries.js';
import { useDebounced } from './use-debounced.js';

/** @typedef {import('./admin.js').Output<'listLeaderboardScores'>['leaderboard'][number]} Row */
/** @typedef {Pick<import('./admin.js').Input<'listLeaderboardScores'>, 'gameId' | 'leaderboard' | 'season' | 'label'>} Choice */

/** How many matching players are looked up on the leaderboard. */
const maxMatches = 20;
/** Rows shown around a player. */
const aroundRows = 21;

/** Not the wallet: a player can have several entries. @param {Row} row */
const keyOf = (row) => row._id;

/**
 * The standings of a leaderboard, optionally filtered by label; also those of matching players, and those around one
 * player.
 * @param {{
 *   game: import('./game-view.js').Game,
 *   name: string,
 *   season?: number | undefined,
 *   board?: import('./leaderboard-labels.js').Leaderboard,
 * }} props `season`: a finished one; omitted for the current one. `board`: omitted for `default`
 */
export function LeaderboardView({ game, name, season, board }) {
  const admin = useAdmin();
  const { gameId } = game;
  const [search, setSearch] = useState('');
  const [label, setLabel] = useState('');
  const [around, setAround] = useState(/** @type {Row | null} */ (null));
  const query = useDebounced(search.trim());
  /** @type {Choice} */
  const choice = {
    gameId,
    leaderboard: name,
    ...(season !== undefined && { season }),
    ...(label && { label }),
  };
  const pages = usePages(
    async (page) => ({
      data: (await admin.call('listLeaderboardScores', { ...choice, ...page })).leaderboard,
    }),
    keyOf,
    [gameId, label],
  );
  /** @param {() => void} reload */
  const columns = (reload) => columnsOf({ admin, gameId, board, reload, onAround: setAround });
  const filters = html`
    <${TextField} label="Search players" hideLabel type="search" placeholder="Search by name or wallet" maxlength=${100} value=${search} onValue=${setSearch} />
    ${board && board.labels.length > 0 && html`<${SelectField} label="Label" hideLabel value=${label} onValue=${setLabel} options=${[['', 'All labels'], ...board.labels.map((one) => [one, one])]} />`}
  `;
  if (around !== null) {
    return html`
      <div class="card table-card">
        <div class="table-tools">
          <p>Around <strong>${around.username}</strong>, rank ${asCount(around.position)}${label && ` of ${label}`}</p>
          <${Button} size="small" onClick=${() => setAround(null)}>Show all<//>
        </div>
        <${Around} key=${around._id} choice=${choice} row=${around} columns=${columns} />
      </div>
    `;
  }
  if (search.trim() !== '' && query !== '') {
    return html`
      <div class="card table-card">
        <div class="table-tools"><div class="filters">${filters}</div></div>
        <${Found} choice=${choice} search=${query} columns=${columns} />
      </div>
    `;
  }
  const isDefault = name === 'default';
  const file = [game.slug, isDefault ? 'leaderboard' : name, season && `season-${season}`, label];
  return html`
    <${DataTable}
      caption=${isDefault ? `Leaderboard of ${game.name}` : `Places on ${name}${season === undefined ? '' : ` in season ${season}`}`}
      columns=${columns(pages.reload)}
      pages=${pages}
      keyOf=${keyOf}
      fileName=${file.filter(Boolean).join('-')}
      empty=${
        label || season !== undefined
          ? html`<${Empty} icon="trophy" title="No scores${label && ` with the label ${label}`}${season === undefined ? '' : ` in season ${season}`}" />`
          : html`<${Empty} icon="trophy" title="No scores yet"><p>Scores are set with <code>setUserScore</code>${isDefault ? ' or by rules' : html` and <code>leaderboard: "${name}"</code>`}.</p><//>`
      }
    >
      ${filters}
    <//>
  `;
}

/**
 * @param {{
 *   admin: import('./admin.js').Admin,
 *   gameId: string,
 *   board: import('./leaderboard-labels.js').Leaderboard | undefined,
 *   reload: () => void,
 *   onAround: (row: Row) => void,
 * }} given
 * @returns {import('./virtual-table.js').Column<Row>[]}
 */
function columnsOf({ admin, gameId, board, reload, onAround }) {
  /** @type {import('./virtual-table.js').Column<Row>[]} */
  const ofNamed =
    board === undefined
      ? []
      : [
          {
            title: 'Label',
            exportOnly: board.labels.length === 0,
            narrow: 'bare',
            cell: (row) => row.label ?? '',
            value: (row) => row.label ?? null,
          },
          {
            title: 'Metadata',
            narrow: 'omit',
            cell: ({ metadata }) =>
              metadata &&
              html`<code class="truncate small" title=${JSON.stringify(metadata)}>${JSON.stringify(metadata)}</code>`,
            value: ({ metadata }) => (metadata === undefined ? null : JSON.stringify(metadata)),
          },
        ];
  return [
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
    ...ofNamed,
    {
      title: 'Updated',
      cell: ({ updatedAt }) => html`<${TimeCell} at=${updatedAt} />`,
      value: ({ updatedAt }) => isoTime(updatedAt),
    },
    {
      title: 'Actions',
      hidden: true,
      cell: (row) => html`
        <span class="row-buttons">
          <${Button} size="small" kind="plain" iconOnly label="Show the ranks around ${row.username}" onClick=${() => onAround(row)}><${Icon} name="list" /><//>
          ${board?.keep === 'sum' || board?.keep === 'count' ? '' : removal(row)}
        </span>
      `,
    },
  ];

  /** Not for sums and counts, whose individual scores are removed on the player's page. @param {Row} row */
  function removal({ _id, username, score }) {
    return html`
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
        reload=${reload}
      >
        <p>The record is permanently deleted. If the player has another score, it is ranked instead. Subscribers are updated immediately.</p>
      <//>
    `;
  }
}

/** @typedef {(reload: () => void) => import('./virtual-table.js').Column<Row>[]} Columns */

/** @param {{ choice: Choice, search: string, columns: Columns }} props */
function Found({ choice, search, columns }) {
  const admin = useAdmin();
  const { gameId } = choice;
  const query = useQuery(async () => {
    const { data } = await admin.call('listPlayers', { gameId, search, limit: maxMatches });
    const rows = await Promise.all(
      data.map(async ({ wallet }) => {
        const own = await admin.call('listLeaderboardScores', { ...choice, around: wallet, limit: 1 });
        return own.leaderboard;
      }),
    );
    return rows.flat().toSorted((one, other) => one.position - other.position);
  }, [gameId, search, choice.label]);
  return html`
    <${Rows}
      caption="Matching players on the leaderboard"
      columns=${columns}
      query=${query}
      empty=${html`<${Empty} title="No matching players"><p>Search by a part of the name, or by the wallet: complete, its beginning, or in its shortened form.</p><//>`}
    />
  `;
}

/** @param {{ choice: Choice, row: Row, columns: Columns }} props */
function Around({ choice, row, columns }) {
  const admin = useAdmin();
  const query = useQuery(async () => {
    const input = { ...choice, around: row.normalizedAddress, limit: aroundRows };
    return (await admin.call('listLeaderboardScores', input)).leaderboard;
  }, [row._id]);
  return html`
    <${Rows}
      caption="Ranks around ${row.username}"
      columns=${columns}
      query=${query}
      empty=${html`<${Empty} title="${row.username} is no longer on this leaderboard" />`}
    />
  `;
}

/**
 * @param {{
 *   caption: string,
 *   columns: Columns,
 *   query: { result: readonly Row[] | undefined, error: unknown, reload: () => void },
 *   empty: import('preact').ComponentChildren,
 * }} props
 */
function Rows({ caption, columns, query: { result, error, reload }, empty }) {
  if (error) return html`<${ErrorState} error=${error} onRetry=${reload} />`;
  if (result === undefined) return html`<${LoadingRows} label=${caption} />`;
  return html`
    <${Table}
      caption=${caption}
      columns=${columns(reload).filter(({ exportOnly }) => !exportOnly)}
      rows=${result}
      keyOf=${keyOf}
      empty=${empty}
    />
  `;
}
