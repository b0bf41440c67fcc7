import { html } from 'htm/preact';
import { useRef, useState } from 'preact/hooks';
import { Button } from '../shared/button.js';
import { Empty } from '../shared/states.js';
import { useAdmin } from './admin.js';
import { BanBadge } from './ban-badge.js';
import { isoTime, PlayerCell, TimeCell } from './cells.js';
import { DataTable } from './data-table.js';
import { TextField } from './fields.js';
import { PlayerDialog } from './player-dialog.js';
import { usePages } from './queries.js';
import { useDebounced } from './use-debounced.js';

/** @typedef {import('./admin.js').Output<'listPlayers'>['data'][number]} Player */

/**
 * The players of a game, or of all games.
 * @param {{ game?: import('./game-view.js').Game }} props
 */
export function Players({ game }) {
  const admin = useAdmin();
  const [search, setSearch] = useState('');
  const [chosen, setChosen] = useState('');
  const wanted = useDebounced(search.trim());
  const gameId = game?.gameId;
  const pages = usePages(
    (page) =>
      admin.call('listPlayers', { ...page, ...(gameId && { gameId }), ...(wanted && { search: wanted }) }),
    (/** @type {Player} */ player) => player.wallet,
    [gameId, wanted],
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
      cell: ({ createdAt }) => html`<${TimeCell} at=${createdAt} />`,
      value: ({ createdAt }) => isoTime(createdAt),
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
        <${Button} size="small" aria-label="Manage ${username || wallet}" onClick=${() => setChosen(wallet)}>Manage<//>
      `,
    },
  ];
  // The managed player stays while the list is reloaded.
  const managed = useRef(/** @type {Player | undefined} */ (undefined));
  const found = pages.rows?.find(({ wallet }) => wallet === chosen);
  if (found || managed.current?.wallet !== chosen) managed.current = found;
  const player = chosen === '' ? undefined : managed.current;
  return html`
    <${DataTable}
      caption=${game ? `Players of ${game.name}` : 'Players'}
      columns=${columns}
      pages=${pages}
      keyOf=${(/** @type {Player} */ one) => one.wallet}
      fileName=${game ? `${game.slug}-players` : 'players'}
      empty=${
        wanted
          ? html`<${Empty} title="No matching players"><p>The search looks for a part of the name, or the wallet: whole, its beginning, or as it is shown.</p><//>`
          : html`<${Empty} icon="people" title="No players yet"><p>A player is created at the first sign-in.</p><//>`
      }
    >
      <${TextField} label="Search players" hideLabel type="search" placeholder="Search by name or wallet" maxlength=${100} value=${search} onValue=${setSearch} />
    <//>
    ${player && html`<${PlayerDialog} key=${player.wallet} player=${player} game=${game} onClose=${() => setChosen('')} onChanged=${pages.reload} />`}
  `;
}
