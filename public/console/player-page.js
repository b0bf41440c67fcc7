import { defaultName } from 'gantry-names';
import { html } from 'htm/preact';
import { Address } from '../shared/address.js';
import { ApiError } from '../shared/api.js';
import { Avatar } from '../shared/avatar.js';
import { Icon } from '../shared/icon.js';
import { RelativeTime } from '../shared/relative-time.js';
import { Empty, ErrorState, LoadingRows } from '../shared/states.js';
import { ActivitiesView } from './activities-view.js';
import { useAdmin } from './admin.js';
import { BanBadge } from './ban-badge.js';
import { useScrollToCurrent } from './current-link.js';
import { SelectField } from './fields.js';
import { PageHead } from './page-head.js';
import { PlaySessionsView } from './play-sessions-view.js';
import { PlayerFriends } from './player-friends.js';
import { PlayerMessages } from './player-messages.js';
import { PlayerProfile } from './player-profile.js';
import { PlayerScores } from './player-scores.js';
import { PlayerSessions } from './player-sessions.js';
import { useQuery } from './queries.js';
import { ReportsView } from './reports-view.js';
import { goTo, linkTo } from './route.js';
import { StatesView } from './states-view.js';

/** @typedef {import('./game-view.js').Game} Game */
/** @typedef {NonNullable<import('./admin.js').Output<'getPlayerDetails'>['player']>} PlayerDetails */

/**
 * The tabs of a player. Those with `ofGame` show one game, those with `ofAccount` all games; the others, one or all.
 * @type {readonly { path: string, label: string, ofGame?: boolean, ofAccount?: boolean, needs?: import('./admin.js').OperationName }[]}
 */
const tabs = [
  { path: 'profile', label: 'Profile' },
  { path: 'sessions', label: 'Sessions' },
  { path: 'scores', label: 'Scores', ofGame: true },
  { path: 'states', label: 'States', ofGame: true },
  { path: 'play-sessions', label: 'Play sessions', ofGame: true },
  { path: 'activities', label: 'Activities', ofGame: true },
  { path: 'messages', label: 'Messages' },
  { path: 'reports', label: 'Reports', needs: 'listReports' },
  { path: 'friends', label: 'Friends', ofAccount: true },
];

/**
 * One player, in tabs; the selected game is part of the route.
 * @param {{ wallet: string, tab: string | undefined, slug: string | undefined }} props
 */
export function PlayerPage({ wallet, tab, slug }) {
  const admin = useAdmin();
  const { result, error, reload } = useQuery(async () => {
    const [{ player }, { games }] = await Promise.all([
      admin.call('getPlayerDetails', { wallet }),
      admin.call('listGames', {}),
    ]);
    return { player, games };
  }, [wallet]);
  if (error instanceof ApiError && error.reason === 'address_invalid')
    return html`<${NotFound} why="Not a wallet: 0x followed by 40 hex digits." />`;
  if (result === undefined) {
    return error
      ? html`<${ErrorState} error=${error} onRetry=${reload} />`
      : html`<${LoadingRows} label="Loading player" />`;
  }
  const { player, games } = result;
  if (player === null) return html`<${NotFound} why="Never seen, or erased." />`;
  const current = tabs.find(({ path }) => path === tab) ?? tabs[0];
  const path = current?.path ?? 'profile';
  const played = player.games.flatMap(({ gameId }) => games.find((one) => one.gameId === gameId) ?? []);
  const selected = games.find((one) => one.slug === slug || one.gameId === slug);
  const game = selected ?? (current?.ofGame ? played[0] : undefined);
  const choices = [...new Set([...(selected ? [selected] : []), ...played])];
  return html`
    <header class="page-head game-head">
      <a class="back" href=${selected ? linkTo('games', selected.slug, 'players') : linkTo('players')}><${Icon} name="arrowLeft" />${selected ? `Players of ${selected.name}` : 'All players'}</a>
      <${Summary} player=${player} game=${game} />
    </header>
    <${TabLinks} wallet=${wallet} slug=${selected?.slug} current=${path} />
    ${
      choices.length > 0 &&
      !current?.ofAccount &&
      html`
        <div class="search">
          <${SelectField}
            label="Game"
            hideLabel
            value=${game?.slug ?? ''}
            onValue=${(/** @type {string} */ chosen) => goTo('players', wallet, path, ...(chosen ? [chosen] : []))}
            options=${[...(current?.ofGame ? [] : [['', 'All games']]), ...choices.map(({ slug: value, name }) => [value, name])]}
          />
        </div>
      `
    }
    <div key=${`${path} ${game?.gameId}`}>
      ${
        current?.ofGame && !game
          ? html`<${Empty} icon="game" title="No game yet"><p>No session was opened for this wallet.</p><//>`
          : viewOf(path, { player, games, game, reload })
      }
    </div>
  `;
}

/**
 * @param {string} path
 * @param {{ player: PlayerDetails, games: readonly Game[], game: Game | undefined, reload: () => void }} about
 */
function viewOf(path, { player, games, game, reload }) {
  const { wallet } = player;
  switch (path) {
    case 'sessions':
      return html`<${PlayerSessions} wallet=${wallet} games=${games} game=${game} />`;
    case 'scores':
      return html`<${PlayerScores} wallet=${wallet} game=${game} />`;
    case 'states':
      return html`<${StatesView} game=${game} player=${wallet} />`;
    case 'play-sessions':
      return html`<${PlaySessionsView} game=${game} player=${wallet} />`;
    case 'activities':
      return html`<${ActivitiesView} game=${game} player=${wallet} />`;
    case 'messages':
      return html`<${PlayerMessages} wallet=${wallet} games=${games} game=${game} />`;
    case 'reports':
      return html`<${ReportsView} about=${{ wallet, gameId: game?.gameId }} />`;
    case 'friends':
      return html`<${PlayerFriends} wallet=${wallet} />`;
    default:
      return html`<${PlayerProfile} player=${player} games=${games} game=${game} onChanged=${reload} onErased=${() => goTo('players')} />`;
  }
}

/** @param {{ why: string }} props */
function NotFound({ why }) {
  return html`<${PageHead} title="Players" /><${Empty} icon="people" title="Player not found"><p>${why}</p><a href=${linkTo('players')}>All players</a><//>`;
}

/** @param {{ player: PlayerDetails, game: Game | undefined }} props */
function Summary({ player, game }) {
  const { wallet, username, avatar, games, bans } = player;
  const present = games.some((one) => one.present);
  const lastSeenAt = Math.max(0, ...games.map((one) => one.lastSeenAt ?? 0));
  const seen =
    lastSeenAt > 0
      ? html`last seen <${RelativeTime} at=${lastSeenAt} />`
      : games.length === 0
        ? 'never signed in'
        : 'not signed in for a long time, or never';
  return html`
    <div class="player-head">
      <${Avatar} wallet=${wallet} url=${avatar || undefined} present=${present} />
      <div>
        <h1>${username || defaultName(wallet)}</h1>
        <p class="quiet small player-line">
          <${Address} wallet=${wallet} />
          ${present ? html`<span class="badge good">online now</span>` : html`<span>${seen}</span>`}
          ${bans.length > 0 && html`<span>banned from <${BanBadge} bannedFrom=${bans.map(({ gameId }) => gameId)} gameId=${game?.gameId} /></span>`}
        </p>
      </div>
    </div>
  `;
}

/** @param {{ wallet: string, slug: string | undefined, current: string }} props */
function TabLinks({ wallet, slug, current }) {
  const admin = useAdmin();
  const row = useScrollToCurrent(current);
  const shown = tabs.filter(({ needs }) => needs === undefined || admin.may(needs));
  return html`
    <nav class="tabs game-tabs" aria-label="Player tabs" ref=${row}>
      ${shown.map(
        ({ path, label }) => html`
          <a key=${path} class="tab" href=${linkTo('players', wallet, path, ...(slug ? [slug] : []))} aria-current=${path === current ? 'page' : undefined}>${label}</a>
        `,
      )}
    </nav>
  `;
}
