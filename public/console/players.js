import { defaultName } from 'gantry-names';
import { html } from 'htm/preact';
import { useState } from 'preact/hooks';
import { Empty } from '../shared/states.js';
import { useAdmin } from './admin.js';
import { BanBadge } from './ban-badge.js';
import { isoTime, PlayerCell, PresenceBadge, TimeCell } from './cells.js';
import { DataTable } from './data-table.js';
import { SelectField, TextField } from './fields.js';
import { usePages } from './queries.js';
import { linkTo } from './route.js';
import { useDebounced } from './use-debounced.js';

/** @typedef {import('./admin.js').Output<'listPlayers'>['data'][number]} Player */

/** The input for each choice of the status filter. @type {Readonly<Record<string, { present?: boolean, banned?: boolean }>>} */
const statuses = { online: { present: true }, offline: { present: false }, banned: { banned: true } };

/**
 * The players of a game, or of all games.
 * @param {{ game?: import('./game-view.js').Game }} props
 */
export function Players({ game }) {
  const admin = useAdmin();
  const [search, setSearch] = useState('');
  const [status, setStatus] = useState('');
  const query = useDebounced(search.trim());
  const gameId = game?.gameId;
  const pages = usePages(
    (page) =>
      admin.call('listPlayers', {
        ...page,
        ...(gameId && { gameId }),
        ...(query && { search: query }),
        ...statuses[status],
      }),
    (/** @type {Player} */ player) => player.wallet,
    [gameId, query, status],
  );
  /** @type {import('./virtual-table.js').Column<Player>[]} */
  const columns = [
    {
      title: 'Player',
      wide: true,
      cell: ({ wallet, username, avatar }) =>
        html`<${PlayerCell} wallet=${wallet} username=${username} avatar=${avatar} />`,
      value: ({ username }) => username,
    },
    { title: 'Wallet', exportOnly: true, cell: () => null, value: ({ wallet }) => wallet },
    { title: 'User ID', exportOnly: true, cell: () => null, value: ({ userId }) => userId },
    {
      title: 'First seen',
      narrow: 'omit',
      cell: ({ createdAt }) => html`<${TimeCell} at=${createdAt} />`,
      value: ({ createdAt }) => isoTime(createdAt),
    },
    {
      title: 'Last sign-in',
      cell: ({ lastOpenedAt }) => html`<${TimeCell} at=${lastOpenedAt} none="long ago or never" />`,
      value: ({ lastOpenedAt }) => isoTime(lastOpenedAt),
    },
    {
      title: 'Status',
      narrow: 'bare',
      cell: ({ present }) => html`<${PresenceBadge} present=${present} />`,
      value: ({ present }) => (present ? 'online' : 'offline'),
    },
    {
      title: 'Banned',
      cell: ({ bannedFrom }) => html`<${BanBadge} bannedFrom=${bannedFrom} gameId=${gameId} />`,
      value: ({ bannedFrom }) => bannedFrom.map((id) => id || 'all games').join(' '),
    },
    {
      title: 'Manage',
      hidden: true,
      cell: ({ wallet, username }) => html`
        <a class="button small" aria-label="Manage ${username || defaultName(wallet)}" href=${linkTo('players', wallet, 'profile', ...(game ? [game.slug] : []))}>Manage</a>
      `,
    },
  ];
  return html`
    <${DataTable}
      caption=${game ? `Players of ${game.name}` : 'Players'}
      columns=${columns}
      pages=${pages}
      keyOf=${(/** @type {Player} */ one) => one.wallet}
      fileName=${game ? `${game.slug}-players` : 'players'}
      empty=${
        query || status
          ? html`<${Empty} title="No matching players"><p>Search by a part of the name, or by the wallet: complete, its beginning, or in its shortened form.</p><//>`
          : html`<${Empty} icon="people" title="No players yet"><p>A player is created at the first sign-in.</p><//>`
      }
    >
      <${TextField} label="Search players" hideLabel type="search" placeholder="Search by name or wallet" maxlength=${100} value=${search} onValue=${setSearch} />
      <${SelectField} label="Status" hideLabel value=${status} onValue=${setStatus} options=${[['', 'Everyone'], ['online', 'Online now'], ['offline', 'Offline'], ['banned', 'Banned']]} />
    <//>
  `;
}
