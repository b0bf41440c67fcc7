import { html } from 'htm/preact';
import { useState } from 'preact/hooks';
import { ApiError } from '../shared/api.js';
import { Button } from '../shared/button.js';
import { Icon } from '../shared/icon.js';
import { RelativeTime } from '../shared/relative-time.js';
import { reportReasons } from '../shared/report-reasons.js';
import { Empty, ErrorState, Loading, messageOf } from '../shared/states.js';
import { toast } from '../shared/toasts.js';
import { useAdmin } from './admin.js';
import { Allowed } from './allowed.js';
import { actorName } from './audit-log.js';
import { BanBadge } from './ban-badge.js';
import { isoTime, PlayerCell, TimeCell } from './cells.js';
import { ConfirmButton } from './confirm-button.js';
import { DataTable } from './data-table.js';
import { SelectField, TextField } from './fields.js';
import { gameChoices, useGameNames } from './game-names.js';
import { muteTimes } from './mutes.js';
import { PageHead } from './page-head.js';
import { usePages, useQuery, useReloadWhenPassed } from './queries.js';
import { linkTo } from './route.js';

/**
 * @typedef {import('./admin.js').Output<'listReports'>['data'][number]} Report
 * @typedef {import('./admin.js').Output<'getReport'>['report']} Details
 * @typedef {NonNullable<Details['message']>} Message
 */

/** @type {Readonly<Record<Report['status'], string>>} */
const tones = { open: 'warn', resolved: 'good', dismissed: '' };

/** @type {readonly (readonly [value: string, label: string])[]} */
const statuses = [
  ['open', 'Open'],
  ['resolved', 'Resolved'],
  ['dismissed', 'Dismissed'],
  ['', 'All'],
];

/** What the list shows, kept while a report is read. */
let kept = { status: 'open', gameId: '' };

/**
 * Whom a report is about, and how many open ones there are about them.
 * @type {readonly import('./virtual-table.js').Column<Report>[]}
 */
const subjectColumns = [
  {
    title: 'About',
    cell: ({ subject, subjectName }) => html`<${PlayerCell} wallet=${subject} username=${subjectName} />`,
    value: ({ subject }) => subject,
  },
  {
    title: 'Open reports',
    number: true,
    cell: ({ openAgainst }) => openAgainst,
    value: ({ openAgainst }) => openAgainst,
  },
];

/**
 * The reports of players: of all, or those about one player, open or not.
 * @param {{ about?: { wallet: string, gameId: string | undefined } }} props
 */
export function ReportsView({ about }) {
  const admin = useAdmin();
  const [filter, setFilter] = useState(about ? { status: '', gameId: about.gameId ?? '' } : kept);
  const { status, gameId } = filter;
  const show = (/** @type {Partial<typeof kept>} */ change) => {
    const changed = { ...filter, ...change };
    if (!about) kept = changed;
    setFilter(changed);
  };
  const { names, nameOf } = useGameNames();
  const pages = usePages(
    (page) =>
      admin.call('listReports', {
        ...page,
        ...(status && { status: /** @type {Report['status']} */ (status) }),
        ...(gameId && { gameId }),
        ...(about && { subject: about.wallet }),
      }),
    (/** @type {Report} */ { reportId }) => reportId,
    [status, gameId, about?.wallet],
  );
  /** @type {import('./virtual-table.js').Column<Report>[]} */
  const columns = [
    {
      title: 'Report',
      wide: true,
      cell: ({ reportId, reason, comment, messageId, status: state }) => html`
        <span class="truncate">
          ${status === '' && html`<span class="badge ${tones[state]}">${state}</span> `}
          <a href=${linkTo('reports', reportId)}>${reportReasons[reason]}${messageId === null ? '' : ' in a message'}</a>${' '}
          <span class="quiet small">${comment}</span>
        </span>
      `,
      value: ({ reason }) => reason,
    },
    { title: 'Comment', exportOnly: true, cell: () => null, value: ({ comment }) => comment },
    { title: 'Status', exportOnly: true, cell: () => null, value: ({ status: state }) => state },
    ...(about ? [] : subjectColumns),
    {
      title: 'By', // shown on the report's page
      exportOnly: true,
      cell: () => null,
      value: ({ reporter }) => reporter,
    },
    {
      title: 'Game',
      narrow: 'bare',
      cell: (report) => html`<span class="truncate">${nameOf(report.gameId)}</span>`,
      value: (report) => nameOf(report.gameId),
    },
    {
      title: 'Reported',
      cell: ({ createdAt }) => html`<${TimeCell} at=${createdAt} />`,
      value: ({ createdAt }) => isoTime(createdAt),
    },
  ];
  return html`
    <${DataTable}
      caption="Reports"
      columns=${columns}
      pages=${pages}
      keyOf=${(/** @type {Report} */ { reportId }) => reportId}
      fileName=${about ? `reports-${about.wallet}` : 'reports'}
      empty=${html`<${Empty} icon="shield" title=${status === 'open' ? 'No open reports' : 'No reports'}><p>Players report messages and each other from their launcher.</p><//>`}
    >
      <${SelectField} label="Status" hideLabel value=${status} onValue=${(/** @type {string} */ value) => show({ status: value })} options=${statuses} />
      ${!about && html`<${SelectField} label="Game" hideLabel value=${gameId} onValue=${(/** @type {string} */ value) => show({ gameId: value })} options=${gameChoices(names)} />`}
    <//>
  `;
}

/** A report, with moderation actions. @param {{ reportId: string }} props */
export function ReportPage({ reportId }) {
  const admin = useAdmin();
  const { nameOf } = useGameNames();
  const { result, error, reload } = useQuery(async () => {
    const { report } = await admin.call('getReport', { reportId });
    const { gameId, subject: wallet } = report;
    const [bans, mutes] = await Promise.all([
      admin.call('listBans', { wallet }),
      admin.call('listMutes', { wallet, gameId }),
    ]);
    return { report, bans: bans.data, mutes: mutes.data };
  }, [reportId]);
  useReloadWhenPassed(result?.mutes, ({ until }) => [until], reload);
  const back = html`<p class="crumb"><a class="back" href=${linkTo('moderation')}><${Icon} name="arrowLeft" />All reports</a></p>`;
  if (error instanceof ApiError && error.reason === 'report_unknown')
    return html`${back}<${PageHead} title="Moderation" /><${Empty} icon="shield" title="Report not found" />`;
  if (error !== null) return html`${back}<${ErrorState} error=${error} onRetry=${reload} />`;
  if (!result) return html`${back}<${Loading} />`;
  const { report, bans, mutes } = result;
  return html`
    ${back}
    <${PageHead} title="Report: ${reportReasons[report.reason]}">
      <p class="quiet">
        <span class="badge ${tones[report.status]}">${report.status}</span>${' '}
        in ${nameOf(report.gameId)}, <${TimeCell} at=${report.createdAt} />
      </p>
    <//>
    <div class="stacked-cards">
      <section class="card" aria-labelledby="report-what">
        <div class="card-head"><h2 id="report-what">Reported content</h2></div>
        <dl class="card-body facts">
          <div><dt>About</dt><dd><${PlayerCell} wallet=${report.subject} username=${report.subjectName} /></dd></div>
          <div><dt>Reported by</dt><dd><${PlayerCell} wallet=${report.reporter} username=${report.reporterName} /></dd></div>
          <div><dt>Comment</dt><dd class="wrap">${report.comment || html`<span class="quiet">none</span>`}</dd></div>
          <div><dt>Open reports</dt><dd><a href=${linkTo('players', report.subject, 'reports')}>${report.openAgainst} about this player</a></dd></div>
          <div><dt>Restrictions</dt><dd><${Restrictions} gameId=${report.gameId} bans=${bans} mutes=${mutes} /></dd></div>
          ${report.status !== 'open' && html`<div><dt>Closed</dt><dd class="wrap">${report.status} by ${actorName(report.closedBy ?? '')}${report.note ? `: ${report.note}` : ''}</dd></div>`}
        </dl>
      </section>
      ${report.messageId !== null && html`<${Context} report=${report} />`}
      <${Actions} report=${report} onChanged=${reload} />
      ${report.status === 'open' && html`<${Closing} reportId=${reportId} onChanged=${reload} />`}
    </div>
  `;
}

/**
 * The bans and the mute that keep a player from the game or its chat, also those by other moderators.
 * @param {{
 *   gameId: string,
 *   bans: import('./admin.js').Output<'listBans'>['data'],
 *   mutes: import('./admin.js').Output<'listMutes'>['data'],
 * }} props
 */
function Restrictions({ gameId, bans, mutes }) {
  const bannedFrom = bans.map((one) => one.gameId).filter((id) => id === '' || id === gameId);
  const mute = mutes.find(({ channelId }) => channelId === null);
  if (bannedFrom.length === 0 && !mute) return html`<span class="quiet">none</span>`;
  return html`
    ${bannedFrom.length > 0 && html`banned from <${BanBadge} bannedFrom=${bannedFrom} gameId=${gameId} /> `}
    ${mute && html`<span class="badge warn">muted</span> ends <${RelativeTime} at=${mute.until} />`}
  `;
}

/** The reported message, with the messages around it. @param {{ report: Details }} props */
function Context({ report: { before, message, after, ...report } }) {
  const names = new Map([
    [report.subject, report.subjectName],
    [report.reporter, report.reporterName],
  ]);
  /** @param {Message} one */
  const line = (one) => {
    const isReported = one._id === message?._id;
    return html`
      <li key=${one._id} class="logged-message ${isReported ? 'reported' : ''}">
        <p class="message-from small">
          <${PlayerCell} wallet=${one.senderId} username=${names.get(one.senderId)} />
          <span class="quiet"><${TimeCell} at=${one.createdAt} /></span>
          ${isReported && html`<span class="badge bad">reported</span>`}
        </p>
        <p class="message-text">${one.content}</p>
      </li>
    `;
  };
  return html`
    <section class="card" aria-labelledby="report-context">
      <div class="card-head"><h2 id="report-context">Conversation</h2></div>
      <div class="card-body">
        ${
          message === null
            ? html`<p>The message no longer exists: it was unsent or removed.</p>`
            : html`<ol role="list" class="message-log">${[...before, message, ...after].map(line)}</ol>`
        }
      </div>
    </section>
  `;
}

/** @param {{ report: Details, onChanged: () => void }} props */
function Actions({ report, onChanged }) {
  const admin = useAdmin();
  const [seconds, setSeconds] = useState('86400');
  const { nameOf } = useGameNames();
  const { gameId, subject, message } = report;
  const reported = `Reported: ${reportReasons[report.reason]}`;
  const [muteReason, setMuteReason] = useState(reported);
  const [bannedFrom, setBannedFrom] = useState(gameId);
  const [banReason, setBanReason] = useState(reported);
  const time = muteTimes.find(([value]) => value === seconds)?.[1];
  return html`
    <section class="card" aria-labelledby="report-actions">
      <div class="card-head"><h2 id="report-actions">Actions</h2></div>
      <div class="card-body">
        <div class="button-row">
          ${
            message !== null &&
            html`
              <${ConfirmButton}
                needs="removeMessage"
                label="Remove message"
                title="Remove this message?"
                confirm="Remove"
                act=${() => admin.call('removeMessage', { messageId: message._id })}
                done="Message removed"
                reload=${onChanged}
              >
                <blockquote class="quote">${message.content}</blockquote>
                <p>Its content is permanently deleted, here and in every launcher.</p>
              <//>
            `
          }
          <${ConfirmButton}
            needs="mutePlayer"
            label="Mute player"
            title="Mute this player?"
            confirm="Mute for ${time}"
            act=${() => admin.call('mutePlayer', { gameId, wallet: subject, seconds: Number(seconds), reason: muteReason })}
            done="Player muted"
            reload=${onChanged}
          >
            <p>The player cannot write anything visible to other players in this game until the mute ends, and is shown the end and the reason.</p>
            <${SelectField} label="Mute for" value=${seconds} onValue=${setSeconds} options=${muteTimes} />
            <${TextField} label="Reason (shown to the player)" maxlength=${500} value=${muteReason} onValue=${setMuteReason} />
          <//>
          <${ConfirmButton}
            needs="banPlayer"
            label="Ban player"
            kind="danger"
            title="Ban this player?"
            confirm="Ban"
            act=${() => admin.call('banPlayer', { wallet: subject, reason: banReason, ...(bannedFrom && { gameId: bannedFrom }) })}
            done="Player banned"
            reload=${onChanged}
          >
            <p>The player's sessions there end immediately, and no new ones can be opened. Existing data is kept.</p>
            <${SelectField} label="From" value=${bannedFrom} onValue=${setBannedFrom} options=${[[gameId, nameOf(gameId)], ['', 'All games']]} />
            <${TextField} label="Reason (for moderators)" maxlength=${500} value=${banReason} onValue=${setBanReason} />
          <//>
        </div>
      </div>
    </section>
  `;
}

/**
 * Resolves or dismisses the report. A note that was typed stays when the role is lowered.
 * @param {{ reportId: string, onChanged: () => void }} props
 */
function Closing({ reportId, onChanged }) {
  const admin = useAdmin();
  const [note, setNote] = useState('');
  const [isBusy, setBusy] = useState(false);
  /** @param {'resolved' | 'dismissed'} outcome */
  const close = async (outcome) => {
    setBusy(true);
    try {
      await admin.call('resolveReport', { reportId, outcome, note });
      toast(`Report ${outcome}`, 'success');
      onChanged();
    } catch (thrown) {
      toast(messageOf(thrown), 'error');
      onChanged(); // another moderator may have closed it
    }
    setBusy(false);
  };
  if (note === '' && !admin.may('resolveReport')) return null;
  return html`
    <section class="card" aria-labelledby="report-close">
      <div class="card-head"><h2 id="report-close">Close this report</h2></div>
      <div class="card-body form">
        <${TextField} label="Note (for other moderators and the audit log)" rows=${2} maxlength=${1000} value=${note} onValue=${setNote} />
        <${Allowed} to="resolveReport" instead=${html`<p class="quiet small">Your role cannot close reports.</p>`}>
          <div class="button-row">
            <${Button} kind="primary" disabled=${isBusy} onClick=${() => close('resolved')}>Resolve<//>
            <${Button} disabled=${isBusy} onClick=${() => close('dismissed')}>Dismiss<//>
          </div>
        <//>
      </div>
    </section>
  `;
}
