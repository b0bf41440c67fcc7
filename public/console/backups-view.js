import { html } from 'htm/preact';
import { useEffect, useState } from 'preact/hooks';
import { Button } from '../shared/button.js';
import { Dialog } from '../shared/dialog.js';
import { Icon } from '../shared/icon.js';
import { Empty, ErrorState, LoadingRows, messageOf } from '../shared/states.js';
import { Table } from '../shared/table.js';
import { toast } from '../shared/toasts.js';
import { useAdmin } from './admin.js';
import { TimeCell } from './cells.js';
import { ConfirmButton } from './confirm-button.js';
import { CheckField, FormProblem, problemAt, SelectField, TextField } from './fields.js';
import { asBytes } from './numbers.js';
import { PageHead } from './page-head.js';
import { useQuery } from './queries.js';

/**
 * @typedef {import('./admin.js').Output<'listBackups'>} Listed
 * @typedef {Listed['backups'][number]} Backup
 * @typedef {NonNullable<Listed['running']>} Running
 * @typedef {NonNullable<Listed['schedule']>} Schedule
 */

/** How often the list is polled, in milliseconds: while a backup is in progress, and otherwise. */
const busyPollMs = 1_000;
const idlePollMs = 10_000;
/** How long a backup of a large database may take, in milliseconds. */
const makeTimeoutMs = 60 * 60 * 1000;

/** @type {readonly (readonly [hours: string, label: string])[]} */
const intervals = [
  ['1', 'Every hour'],
  ['6', 'Every 6 hours'],
  ['12', 'Every 12 hours'],
  ['24', 'Every day'],
  ['168', 'Every week'],
];

/** Makes, downloads, deletes and schedules backups. */
export function BackupsView() {
  const admin = useAdmin();
  const { result, error, reload } = useQuery(() => admin.call('listBackups', {}), []);
  const [asking, setAsking] = useState(false);
  const [isMaking, setMaking] = useState(false);
  const running = result?.running ?? null;
  const isBusy = isMaking || running !== null;
  const isAvailable = result?.unavailable === null;
  useEffect(() => {
    if (!isAvailable) return;
    const poll = setInterval(
      () => document.visibilityState === 'visible' && reload(),
      isBusy ? busyPollMs : idlePollMs,
    );
    return () => clearInterval(poll);
  }, [isBusy, isAvailable]);
  /** @param {boolean} withoutKeys */
  const make = async (withoutKeys) => {
    setAsking(false);
    setMaking(true);
    try {
      const { backup } = await admin.call('makeBackup', { withoutKeys }, { timeoutMs: makeTimeoutMs });
      toast(`Backup made, ${asBytes(backup.bytes)}`, 'success');
    } catch (failed) {
      toast(messageOf(failed), 'error');
    }
    setMaking(false);
    reload();
  };
  const head = html`
    <${PageHead} title="Backups">
      ${isAvailable && html`<${Button} kind="primary" busy=${isBusy} onClick=${() => setAsking(true)}><${Icon} name="plus" />Create backup<//>`}
    <//>
  `;
  if (result === undefined) {
    return html`${head}${error ? html`<${ErrorState} error=${error} onRetry=${reload} />` : html`<${LoadingRows} label="Loading backups" />`}`;
  }
  if (result.unavailable !== null) return html`${head}<${PostgresNotice} />`;
  return html`
    ${head}
    <div class="stacked-cards">
      ${running && html`<${Progress} running=${running} />`}
      <section class="card" aria-label="Backups">
        <${List} backups=${result.backups} onChanged=${reload} />
      </section>
      <${ScheduleCard} key=${JSON.stringify([result.schedule?.everyHours, result.schedule?.keep])} schedule=${result.schedule} onChanged=${reload} />
    </div>
    ${asking && html`<${Make} onClose=${() => setAsking(false)} onMake=${make} />`}
  `;
}

/** Shown when the database is on PostgreSQL. */
function PostgresNotice() {
  return html`
    <section class="card" aria-label="Backups">
      <${Empty} icon="download" title="PostgreSQL makes its own backups">
        <p>The database is on PostgreSQL. Back it up with its own tools: <code>pg_dump</code>, or base backups and WAL archiving.</p>
        <p>Also keep <code>GANTRY_SECRET_KEY</code> in another place: it encrypts the keys in the database.</p>
        <a href="/docs/scaling-out#backups">How to back it up</a>
      <//>
    </section>
  `;
}

/** @param {{ running: Running }} props */
function Progress({ running: { kind, startedAt, copiedPages, totalPages } }) {
  const percent = totalPages === 0 ? 0 : Math.floor((copiedPages / totalPages) * 100);
  const what = totalPages > 0 && copiedPages >= totalPages ? 'Checking the copy' : `Copying, ${percent} %`;
  return html`
    <p class="banner" role="status"><span class="spinner inline"></span> <span><strong>${kind === 'scheduled' ? 'Scheduled backup' : 'Backup'} in progress.</strong> ${what}; started <${TimeCell} at=${startedAt} />.</span></p>
  `;
}

/** @param {{ backups: readonly Backup[], onChanged: () => void }} props */
function List({ backups, onChanged }) {
  const admin = useAdmin();
  /** @param {Backup} backup */
  const download = async ({ name }) => {
    try {
      const { path } = await admin.call('downloadBackup', { name });
      // The browser streams it to the disk: it may be larger than memory.
      const link = document.createElement('a');
      link.href = path;
      link.download = name;
      link.click();
    } catch (failed) {
      toast(messageOf(failed), 'error');
    }
  };
  /** @type {import('../shared/table.js').Column<Backup>[]} */
  const columns = [
    {
      title: 'Created',
      narrow: 'main',
      cell: ({ madeAt }) => html`<strong><${TimeCell} at=${madeAt} /></strong>`,
    },
    { title: 'Kind', narrow: 'bare', cell: ({ kind }) => html`<span class="badge">${kind}</span>` },
    { title: 'Size', number: true, cell: ({ bytes }) => html`<span class="nowrap">${asBytes(bytes)}</span>` },
    {
      title: 'Keys',
      narrow: 'bare',
      cell: ({ hasKeys }) =>
        hasKeys
          ? html`<span class="nowrap">with keys</span>`
          : html`<span class="badge warn">without keys</span>`,
    },
    {
      title: 'File',
      wide: true,
      narrow: 'omit',
      cell: ({ name }) => html`<code class="truncate quiet">${name}</code>`,
    },
    {
      title: 'Actions',
      hidden: true,
      cell: (backup) => html`
        <span class="row-buttons">
          <${Button} size="small" aria-label="Download ${backup.name}" onClick=${() => download(backup)}><${Icon} name="download" />Download<//>
          <${ConfirmButton}
            needs="removeBackup"
            label="Delete ${backup.name}"
            icon="trash"
            iconOnly
            kind="plain"
            title="Delete this backup?"
            confirm="Delete"
            act=${() => admin.call('removeBackup', { name: backup.name })}
            done="Backup deleted"
            reload=${onChanged}
          >
            <p><code class="wrap">${backup.name}</code> is deleted from the server. This cannot be undone.</p>
          <//>
        </span>
      `,
    },
  ];
  return html`
    <${Table}
      caption="Backups, newest first"
      columns=${columns}
      rows=${backups}
      keyOf=${(/** @type {Backup} */ { name }) => name}
      empty=${html`<${Empty} icon="download" title="No backups yet"><p>A backup is one file with the database and the keys; <code>gantry restore</code> turns it into a data directory.</p><//>`}
    />
  `;
}

/** @param {{ onClose: () => void, onMake: (withoutKeys: boolean) => void }} props */
function Make({ onClose, onMake }) {
  const [withKeys, setWithKeys] = useState(true);
  return html`
    <${Dialog}
      title="Create backup"
      onClose=${onClose}
      actions=${html`<${Button} onClick=${onClose}>Cancel<//><${Button} kind="primary" onClick=${() => onMake(!withKeys)}>Create backup<//>`}
    >
      <p>Copies the current database and verifies the copy. Players are not interrupted.</p>
      <${CheckField} label="Include the keys" checked=${withKeys} onChecked=${setWithKeys} hint="Anyone who has the file can then sign tokens and read game secrets. Without them, back up the keys separately: a restore needs them." />
    <//>
  `;
}

/** @param {{ schedule: Schedule | null, onChanged: () => void }} props */
function ScheduleCard({ schedule, onChanged }) {
  const admin = useAdmin();
  const [hours, setHours] = useState(schedule ? String(schedule.everyHours) : '');
  const [keep, setKeep] = useState(String(schedule?.keep ?? 7));
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState(/** @type {unknown} */ (null));
  const options = [['', 'Off'], ...intervals];
  // The command line allows other intervals.
  if (hours !== '' && !intervals.some(([value]) => value === hours))
    options.push([hours, `Every ${hours} hours`]);
  /** @param {Event} event */
  const save = async (event) => {
    event.preventDefault();
    setBusy(true);
    setError(null);
    try {
      await admin.call('setBackupSchedule', {
        everyHours: hours === '' ? null : Number(hours),
        keep: Number(keep),
      });
      toast(hours === '' ? 'Schedule turned off' : 'Schedule saved', 'success');
      onChanged();
    } catch (failed) {
      setError(failed);
    }
    setBusy(false);
  };
  return html`
    <section class="card" aria-labelledby="schedule">
      <div class="card-head">
        <h2 id="schedule">Schedule</h2>
        ${schedule && html`<span class="quiet small">Next backup: <${TimeCell} at=${schedule.dueAt} /></span>`}
      </div>
      <form class="card-body form" onSubmit=${save}>
        ${schedule?.failure && html`<p class="banner bad" role="alert"><span><strong>The last scheduled backup failed</strong> <${TimeCell} at=${schedule.failedAt} />. ${schedule.failure}. It will be retried.</span></p>`}
        <div class="form-row">
          <${SelectField} label="Create a backup" value=${hours} onValue=${setHours} options=${options} />
          <${TextField} label="Scheduled backups to keep" type="number" min="1" max="1000" required disabled=${hours === ''} value=${keep} onValue=${setKeep} problem=${problemAt(error, 'keep')} />
        </div>
        <${FormProblem} error=${error} fields=${['everyHours', 'keep']} />
        <p class="quiet small">Older scheduled backups are deleted; manual ones stay until you delete them. All are on the server's disk: also copy them to another machine. <a href="/docs/back-up#restore">How to restore one</a></p>
        <div class="form-end"><${Button} type="submit" kind="primary" busy=${busy} disabled=${(schedule === null && hours === '') || (schedule !== null && hours === String(schedule.everyHours) && keep === String(schedule.keep))}>Save schedule<//></div>
      </form>
    </section>
  `;
}
