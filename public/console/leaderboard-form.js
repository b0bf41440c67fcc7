import { html } from 'htm/preact';
import { useId, useMemo, useState } from 'preact/hooks';
import { Button } from '../shared/button.js';
import { Dialog } from '../shared/dialog.js';
import { toast } from '../shared/toasts.js';
import { useAdmin } from './admin.js';
import { draftKey, useFormDraft } from './drafts.js';
import { changedFields, changedMeanwhile, isContradicted } from './edit-conflicts.js';
import {
  CheckField,
  FormProblem,
  linesOf,
  problemAt,
  problemAtLine,
  SelectField,
  TextField,
} from './fields.js';
import {
  entriesChoices,
  keepChoices,
  orderChoices,
  rankingOf,
  scheduleChoices,
} from './leaderboard-labels.js';

/** @typedef {import('./leaderboard-labels.js').Leaderboard} Leaderboard */

/** The schedule choice that shows the cron field. */
const custom = 'cron';

const fields = ['name', 'keep', 'entries', 'labels', 'addLabels', 'schedule', 'keepSeasons'];

/**
 * The form for creating a leaderboard, or for editing the changeable settings of an existing one.
 * @param {{
 *   gameId: string,
 *   board?: Leaderboard,
 *   onClose: () => void,
 *   onSaved: (board: Leaderboard) => void,
 * }} props
 */
export function LeaderboardForm({ gameId, board: current, onClose, onSaved }) {
  const admin = useAdmin();
  const { typed, edit, isChanged, close } = useFormDraft(
    draftKey(gameId, 'leaderboard', `board ${current?.leaderboard ?? ''}`),
    {
      board: current, // the fields are compared with what they showed first
      name: '',
      keep: 'best',
      order: 'desc',
      entries: 'player',
      isPublic: current?.public ?? true,
      labels: '',
      schedule: typedSchedule(current?.schedule ?? null),
      keepSeasons: String(current?.keepSeasons ?? ''),
    },
    onClose,
  );
  const { board, name, keep, order, entries, isPublic, labels, schedule, keepSeasons } = typed;
  const [known, setKnown] = useState(board);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState(/** @type {unknown} */ (null));
  const formId = useId();
  /** @param {Event} event */
  const save = async (event) => {
    event.preventDefault();
    setBusy(true);
    setError(null);
    const settings = {
      public: isPublic,
      schedule: scheduleOf(schedule),
      keepSeasons: keepSeasons.trim() === '' ? null : Number(keepSeasons),
    };
    const create = () =>
      admin.call('createLeaderboard', {
        gameId,
        ...settings,
        name: name.trim(),
        keep: /** @type {Leaderboard['keep']} */ (entries === 'all' ? 'best' : keep),
        order: /** @type {Leaderboard['order']} */ (order),
        entries: /** @type {Leaderboard['entries']} */ (entries),
        labels: linesOf(labels),
      });
    const update = async (/** @type {Leaderboard} */ { leaderboard, ...shown }) => {
      const changes = changedFields(shown, settings); // someone else may have changed the others meanwhile
      const { leaderboards } = await admin.call('listLeaderboards', { gameId });
      const theirs = leaderboards.find((one) => one.leaderboard === leaderboard);
      setKnown(theirs);
      if (known && theirs && isContradicted(changes, known, theirs)) throw new Error(changedMeanwhile);
      return admin.call('updateLeaderboard', { gameId, ...changes, leaderboard, addLabels: linesOf(labels) });
    };
    try {
      const result = await (board === undefined ? create() : update(board));
      toast(board === undefined ? 'Leaderboard created' : 'Saved', 'success');
      close();
      onSaved(result.leaderboard);
    } catch (failed) {
      setError(failed);
      setBusy(false);
    }
  };
  const labelsPath = board === undefined ? 'labels' : 'addLabels';
  return html`
    <${Dialog}
      title=${board === undefined ? 'New leaderboard' : `Edit ${board.leaderboard}`}
      stays=${isChanged}
      onClose=${close}
      actions=${html`<${Button} onClick=${close}>Cancel<//><${Button} kind="primary" type="submit" form=${formId} busy=${busy}>${board === undefined ? 'Create' : 'Save'}<//>`}
    >
      <form id=${formId} class="form" onSubmit=${save}>
        ${
          board === undefined
            ? html`
                <${TextField} label="Name" required maxlength=${64} spellcheck=${false} value=${name} onValue=${edit('name')} problem=${problemAt(error, 'name')} hint="Used by the game: lowercase letters, digits, hyphens and underscores, such as weekly." />
                <div class="form-row">
                  <${SelectField} label="Entries" value=${entries} onValue=${edit('entries')} options=${entriesChoices} />
                  ${entries === 'player' && html`<${SelectField} label="Ranked" value=${keep} onValue=${edit('keep')} options=${keepChoices} />`}
                  <${SelectField} label="Sort order" value=${order} onValue=${edit('order')} options=${orderChoices} />
                </div>
                <p class="hint">The ranking rules cannot be changed later.</p>
              `
            : html`<p class="quiet">${rankingOf(board)}. The ranking rules cannot be changed; create another leaderboard instead.</p>`
        }
        <${ScheduleFields} value=${schedule} onValue=${edit('schedule')} error=${error} />
        <${TextField} label="Finished seasons kept" type="number" min="0" max="10000" step="1" placeholder="all" value=${keepSeasons} onValue=${edit('keepSeasons')} problem=${problemAt(error, 'keepSeasons')} hint="Older seasons are deleted when a season ends. Empty: all are kept." />
        <${TextField} label=${board === undefined ? 'Labels' : 'Add labels'} rows=${3} value=${labels} onValue=${edit('labels')} problem=${problemAtLine(error, labelsPath, labels)} hint=${labelsHint(board)} />
        <${CheckField} label="Public" checked=${isPublic} onChecked=${edit('isPublic')} hint="Otherwise only administrators and the game's server can read it." />
        <${FormProblem} error=${error} fields=${fields} />
      </form>
    <//>
  `;
}

/** @param {Leaderboard | undefined} board */
function labelsHint(board) {
  const existing = board && board.labels.length > 0 ? ` Existing labels: ${board.labels.join(', ')}.` : '';
  return `Labels for scores, one per line, such as countries; each also has its own ranking.${existing}`;
}

/** @typedef {{ choice: string, cron: string, timeZone: string }} TypedSchedule */

/** @param {Leaderboard['schedule']} schedule @returns {TypedSchedule} */
function typedSchedule(schedule) {
  const ownZone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  if (schedule === null) return { choice: '', cron: '', timeZone: ownZone };
  const { cron, timeZone } = schedule;
  return { choice: scheduleChoices.some(([known]) => known === cron) ? cron : custom, cron, timeZone };
}

/** @param {TypedSchedule} typed @returns {Leaderboard['schedule']} */
function scheduleOf({ choice, cron, timeZone }) {
  if (choice === '') return null;
  return { cron: choice === custom ? cron.trim() : choice, timeZone: timeZone.trim() };
}

/** @param {{ value: TypedSchedule, onValue: (value: TypedSchedule) => void, error: unknown }} props */
function ScheduleFields({ value, onValue, error }) {
  const zonesId = useId();
  const zones = useMemo(() => ['UTC', ...Intl.supportedValuesOf('timeZone')], []);
  const problem = problemAt(error, 'schedule', (inside) => (inside === 'cron' ? 'Schedule' : 'Time zone'));
  const isZoneProblem = /time zone/i.test(problem ?? '');
  /** @type {readonly (readonly [value: string, label: string])[]} */
  const options = [...scheduleChoices, [custom, 'Cron expression…']];
  return html`
    <${SelectField} label="Seasons end" value=${value.choice} onValue=${(/** @type {string} */ choice) => onValue({ ...value, choice })} options=${options} hint=${value.choice === '' ? "A season lasts until it is ended here or by the game's server." : undefined} />
    ${
      value.choice !== '' &&
      html`
        <div class="form-row">
          ${value.choice === custom && html`<${TextField} label="Cron expression" mono required maxlength=${100} spellcheck=${false} placeholder="0 18 * * 5" value=${value.cron} onValue=${(/** @type {string} */ cron) => onValue({ ...value, cron })} problem=${isZoneProblem ? undefined : problem} hint="Minute, hour, day of the month, month, day of the week." />`}
          <${TextField} label="Time zone" required maxlength=${100} spellcheck=${false} autocomplete="off" list=${zonesId} value=${value.timeZone} onValue=${(/** @type {string} */ timeZone) => onValue({ ...value, timeZone })} problem=${isZoneProblem || value.choice !== custom ? problem : undefined} hint="Such as Europe/Berlin or UTC." />
        </div>
        <datalist id=${zonesId}>${zones.map((zone) => html`<option key=${zone} value=${zone}></option>`)}</datalist>
      `
    }
  `;
}
