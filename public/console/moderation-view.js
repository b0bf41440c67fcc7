import { defaultName } from 'gantry-names';
import { html } from 'htm/preact';
import { useState } from 'preact/hooks';
import { Button } from '../shared/button.js';
import { Dialog } from '../shared/dialog.js';
import { Icon } from '../shared/icon.js';
import { RelativeTime } from '../shared/relative-time.js';
import { Empty } from '../shared/states.js';
import { toast } from '../shared/toasts.js';
import { useAdmin } from './admin.js';
import { isoTime, PlayerCell, TimeCell } from './cells.js';
import { ConfirmButton } from './confirm-button.js';
import { DataTable } from './data-table.js';
import { problemOf, SelectField, TextField } from './fields.js';
import { gameChoices, useGameNames } from './game-names.js';
import { muters, muteTimes } from './mutes.js';
import { PageHead } from './page-head.js';
import { usePlayerFilter } from './player-filter.js';
import { usePages, useReloadWhenPassed } from './queries.js';
import { ReportsView } from './reports-view.js';
import { linkTo } from './route.js';

/** @typedef {import('./mutes.js').Mute} Mute */
/** @typedef {import('./admin.js').Output<'listBans'>['data'][number]} Ban */

const maxReason = 500;
/** @type {readonly { path: string, label: string, needs: import('./admin.js').OperationName }[]} */
const tabs = [
  { path: 'reports', label: 'Reports', needs: 'listReports' },
  { path: 'mutes', label: 'Mutes', needs: 'listMutes' },
  { path: 'bans', label: 'Bans', needs: 'listBans' },
];

/** Reports, mutes and bans, in tabs. @param {{ tab: string | undefined }} props */
export function ModerationView({ tab }) {
  const admin = useAdmin();
  const shown = tabs.filter(({ needs }) => admin.may(needs));
  const current = shown.find(({ path }) => path === tab)?.path ?? shown[0]?.path;
  return html`
    <${PageHead} title="Moderation" />
    <nav class="tabs game-tabs" aria-label="Moderation tabs">
      ${shown.map(({ path, label }) => html`<a key=${path} class="tab" href=${linkTo('moderation', path)} aria-current=${path === current ? 'page' : undefined}>${label}</a>`)}
    </nav>
    <div key=${current}>
      ${current === 'reports' && html`<${ReportsView} />`}
      ${current === 'mutes' && html`<${Mutes} />`}
      ${current === 'bans' && html`<${Bans} />`}
    </div>
  `;
}

/** The active mutes. Moderators can end each, also those that others imposed. */
function Mutes() {
  const admin = useAdmin();
  const { names, nameOf } = useGameNames();
  const [gameId, setGameId] = useState('');
  const [isMuting, setMuting] = useState(false);
  const pages = usePages(
    (page) => admin.call('listMutes', { ...page, ...(gameId && { gameId }) }),
    (/** @type {Mute} */ one) => `${one.wallet} ${one.gameId} ${one.channelId} ${one.mutedBy}`,
    [gameId],
  );
  useReloadWhenPassed(pages.rows, ({ until }) => [until], pages.reload);
  /** @type {import('./virtual-table.js').Column<Mute>[]} */
  const columns = [
    {
      title: 'Player',
      wide: true,
      cell: ({ wallet, username }) => html`<${PlayerCell} wallet=${wallet} username=${username} />`,
      value: ({ username }) => username,
    },
    { title: 'Wallet', exportOnly: true, cell: () => null, value: ({ wallet }) => wallet },
    {
      title: 'Muted in',
      narrow: 'bare',
      cell: (one) =>
        html`<span class="truncate">${nameOf(one.gameId)}${one.channelId === null ? '' : ', one channel'}</span>`,
      value: (one) => nameOf(one.gameId),
    },
    {
      title: 'Ends',
      cell: ({ until }) => html`<${RelativeTime} at=${until} />`,
      value: ({ until }) => isoTime(until),
    },
    {
      title: 'Reason',
      cell: ({ reason }) => (reason ? html`<span class="truncate" title=${reason}>${reason}</span>` : '–'),
      value: ({ reason }) => reason,
    },
    { title: 'By', narrow: 'omit', cell: ({ mutedBy }) => muters[mutedBy], value: ({ mutedBy }) => mutedBy },
    {
      title: 'Unmute',
      hidden: true,
      cell: ({ wallet, username, gameId: id, channelId, mutedBy }) => html`
        <${ConfirmButton}
          needs="unmutePlayer"
          confirmKind="primary"
          label="Unmute ${username || defaultName(wallet)}"
          text="Unmute"
          title="Unmute ${username || defaultName(wallet)}?"
          confirm="Unmute"
          act=${() => admin.call('unmutePlayer', { wallet, gameId: id, mutedBy, ...(channelId && { channelId }) })}
          done="Player unmuted"
          reload=${pages.reload}
        >
          <p>The mute by ${muters[mutedBy]} ends now. Other mutes of the player stay.</p>
        <//>
      `,
    },
  ];
  return html`
    <${DataTable}
      caption="Mutes"
      columns=${columns}
      pages=${pages}
      keyOf=${(/** @type {Mute} */ one) => `${one.wallet} ${one.gameId} ${one.channelId} ${one.mutedBy}`}
      fileName="mutes"
      empty=${html`<${Empty} icon="chat" title="No mutes"><p>A muted player can read and play, but writes nothing that others see.</p><//>`}
    >
      <${SelectField} label="Game" hideLabel value=${gameId} onValue=${setGameId} options=${gameChoices(names)} />
      ${admin.may('mutePlayer') && html`<${Button} onClick=${() => setMuting(true)}>Mute a player<//>`}
    <//>
    ${isMuting && html`<${Restriction} kind="mute" games=${[...names]} onClose=${() => setMuting(false)} onDone=${pages.reload} />`}
  `;
}

/** The bans of all players. */
function Bans() {
  const admin = useAdmin();
  const { names, nameOf } = useGameNames();
  const [gameId, setGameId] = useState('any');
  const [isBanning, setBanning] = useState(false);
  const pages = usePages(
    (page) => admin.call('listBans', { ...page, ...(gameId !== 'any' && { gameId }) }),
    (/** @type {Ban} */ one) => `${one.wallet} ${one.gameId}`,
    [gameId],
  );
  const scopeOf = (/** @type {string} */ id) => (id === '' ? 'all games' : nameOf(id));
  /** @type {import('./virtual-table.js').Column<Ban>[]} */
  const columns = [
    {
      title: 'Player',
      wide: true,
      cell: ({ wallet, username }) => html`<${PlayerCell} wallet=${wallet} username=${username} />`,
      value: ({ username }) => username,
    },
    { title: 'Wallet', exportOnly: true, cell: () => null, value: ({ wallet }) => wallet },
    {
      title: 'Banned from',
      cell: (one) => html`<span class="truncate">${scopeOf(one.gameId)}</span>`,
      value: (one) => scopeOf(one.gameId),
    },
    {
      title: 'Reason',
      cell: ({ reason }) => (reason ? html`<span class="truncate" title=${reason}>${reason}</span>` : '–'),
      value: ({ reason }) => reason,
    },
    { title: 'Since', cell: ({ at }) => html`<${TimeCell} at=${at} />`, value: ({ at }) => isoTime(at) },
    {
      title: 'Unban',
      hidden: true,
      cell: ({ wallet, username, gameId: id }) => html`
        <${ConfirmButton}
          needs="unbanPlayer"
          confirmKind="primary"
          label="Unban ${username || defaultName(wallet)} from ${scopeOf(id)}"
          text="Unban"
          title="Unban ${username || defaultName(wallet)} from ${scopeOf(id)}?"
          confirm="Unban"
          act=${() => admin.call('unbanPlayer', { wallet, ...(id && { gameId: id }) })}
          done="Unbanned from ${scopeOf(id)}"
          reload=${pages.reload}
        >
          <p>The player can sign in again.</p>
        <//>
      `,
    },
  ];
  return html`
    <${DataTable}
      caption="Bans"
      columns=${columns}
      pages=${pages}
      keyOf=${(/** @type {Ban} */ one) => `${one.wallet} ${one.gameId}`}
      fileName="bans"
      empty=${html`<${Empty} icon="shield" title="No bans"><p>A banned player cannot sign in.</p><//>`}
    >
      <${SelectField} label="Banned from" hideLabel value=${gameId} onValue=${setGameId} options=${[['any', 'All bans'], ['', 'From all games'], ...names]} />
      ${admin.may('banPlayer') && html`<${Button} onClick=${() => setBanning(true)}>Ban a player<//>`}
    <//>
    ${isBanning && html`<${Restriction} kind="ban" games=${[['', 'All games'], ...names]} onClose=${() => setBanning(false)} onDone=${pages.reload} />`}
  `;
}

/**
 * Mutes or bans a player, found by name or wallet, with a reason.
 * @param {{ kind: 'mute' | 'ban', games: readonly (readonly [id: string, name: string])[], onClose: () => void, onDone: () => void }} props
 */
function Restriction({ kind, games, onClose, onDone }) {
  const admin = useAdmin();
  const { wallet: found, isTyping, field } = usePlayerFilter(undefined, 'Player');
  const wallet = isTyping ? '' : found;
  const [chosen, setChosen] = useState('');
  const gameId = chosen || (games[0]?.[0] ?? ''); // the games may be loaded only after the dialog was opened
  const [seconds, setSeconds] = useState('86400');
  const [reason, setReason] = useState('');
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState('');
  const isMute = kind === 'mute';
  /** @param {Event} event */
  const submit = async (event) => {
    event.preventDefault();
    setBusy(true);
    setProblem('');
    try {
      if (isMute) await admin.call('mutePlayer', { wallet, gameId, seconds: Number(seconds), reason });
      else await admin.call('banPlayer', { wallet, reason, ...(gameId && { gameId }) });
      toast(isMute ? 'Player muted' : 'Player banned', 'success');
      onDone();
      onClose();
    } catch (error) {
      setProblem(problemOf(error));
      setBusy(false);
    }
  };
  return html`
    <${Dialog}
      title=${isMute ? 'Mute a player' : 'Ban a player'}
      onClose=${onClose}
      actions=${html`
        <${Button} onClick=${onClose}>Cancel<//>
        <${Button} type="submit" form="restriction" kind="danger" busy=${busy} disabled=${wallet === '' || games.length === 0}><${Icon} name="shield" />${isMute ? 'Mute' : 'Ban'}<//>
      `}
    >
      <form id="restriction" class="form" onSubmit=${submit}>
        ${field}
        ${wallet && html`<p><${PlayerCell} wallet=${wallet} /></p>`}
        <${SelectField} label=${isMute ? 'In' : 'From'} value=${gameId} onValue=${setChosen} options=${games} />
        ${isMute && html`<${SelectField} label="For" value=${seconds} onValue=${setSeconds} options=${muteTimes} />`}
        <${TextField} label=${isMute ? 'Reason (shown to the player)' : 'Reason (for moderators)'} maxlength=${maxReason} value=${reason} onValue=${setReason} />
        ${problem && html`<p class="banner bad" role="alert">${problem}</p>`}
      </form>
    <//>
  `;
}
