import { html } from 'htm/preact';
import { useId, useMemo, useState } from 'preact/hooks';
import { Button } from '../../shared/button.js';
import { Dialog } from '../../shared/dialog.js';
import { useAdmin } from '../admin.js';
import { FormProblem, jsonProblem, problemAt, SelectField, TextField } from '../fields.js';
import { localText, localZone, TimeField, timeOf } from './time-field.js';
import { useSubmit, useVersion } from './use-submit.js';

/** @typedef {import('./calendar.js').CalendarEvent} CalendarEvent */

const minuteMs = 60_000;
const fields = ['key', 'title', 'data', 'startsAt', 'endsAt', 'durationMs', 'cron', 'timeZone'];

/**
 * The form for a new event of the calendar, or for changing one.
 * @param {{ gameId: string, event?: CalendarEvent, onClose: () => void }} props
 *   `onClose`: also without saving, as someone else may have changed the event
 */
export function EventForm({ gameId, event, onClose }) {
  const admin = useAdmin();
  const [key, setKey] = useState('');
  const [title, setTitle] = useState(event?.title ?? '');
  const [data, setData] = useState(JSON.stringify(event?.data ?? {}, null, 2));
  const [repeats, setRepeats] = useState(event?.cron ? 'cron' : '');
  const [startsAt, setStartsAt] = useState(localText(event?.startsAt ?? null));
  const [endsAt, setEndsAt] = useState(localText(event?.endsAt ?? null));
  const [minutes, setMinutes] = useState(event?.durationMs ? String(event.durationMs / minuteMs) : '');
  const [cron, setCron] = useState(event?.cron ?? '');
  const [timeZone, setTimeZone] = useState(event?.timeZone ?? localZone);
  const formId = useId();
  const zonesId = useId();
  const zones = useMemo(() => ['UTC', ...Intl.supportedValuesOf('timeZone')], []);
  const dataProblem = jsonProblem(data);
  const changing = useVersion(event?.version);
  const { busy, error, submit } = useSubmit(async () => {
    const input = {
      gameId,
      title,
      data: JSON.parse(data),
      startsAt: timeOf(startsAt, event?.startsAt) ?? Date.now(),
      endsAt: timeOf(endsAt, event?.endsAt),
      durationMs: minutes.trim() === '' ? null : Math.round(Number(minutes) * minuteMs),
      cron: repeats === '' ? null : cron.trim(),
      timeZone: timeZone.trim(),
    };
    if (event === undefined) await admin.call('createEvent', { ...input, key: key.trim() });
    else {
      await changing((ifVersion) => admin.call('updateEvent', { ...input, key: event.key, ifVersion }));
    }
    return event === undefined ? 'Event created' : 'Saved';
  }, onClose);
  return html`
    <${Dialog}
      title=${event === undefined ? 'New event' : `Edit ${event.key}`}
      onClose=${onClose}
      actions=${html`<${Button} onClick=${onClose}>Cancel<//><${Button} kind="primary" type="submit" form=${formId} busy=${busy} disabled=${dataProblem !== ''}>${event === undefined ? 'Create' : 'Save'}<//>`}
    >
      <form id=${formId} class="form" onSubmit=${submit}>
        ${event === undefined && html`<${TextField} label="Key" required maxlength=${64} spellcheck=${false} placeholder="happy-hour" value=${key} onValue=${setKey} problem=${problemAt(error, 'key')} hint="Used by the game and its rules: lowercase letters, digits, hyphens and underscores." />`}
        <${TextField} label="Title" maxlength=${200} value=${title} onValue=${setTitle} problem=${problemAt(error, 'title')} />
        <${SelectField} label="Takes place" value=${repeats} onValue=${setRepeats} options=${[['', 'Once'], ['cron', 'Repeatedly (cron)']]} />
        ${
          repeats !== '' &&
          html`
            <div class="form-row">
              <${TextField} label="Cron expression" mono required maxlength=${100} spellcheck=${false} placeholder="0 18 * * 5" value=${cron} onValue=${setCron} problem=${problemAt(error, 'cron')} hint="Minute, hour, day of the month, month, day of the week." />
              <${TextField} label="Time zone" required maxlength=${100} spellcheck=${false} autocomplete="off" list=${zonesId} value=${timeZone} onValue=${setTimeZone} problem=${problemAt(error, 'timeZone')} hint="Of the cron expression, such as Europe/Berlin or UTC." />
            </div>
            <datalist id=${zonesId}>${zones.map((zone) => html`<option key=${zone} value=${zone}></option>`)}</datalist>
          `
        }
        <div class="form-row">
          <${TimeField} label=${repeats === '' ? 'Starts at' : 'Not before'} required value=${startsAt} onValue=${setStartsAt} problem=${problemAt(error, 'startsAt')} />
          <${TimeField} label=${repeats === '' ? 'Ends at' : 'Not after'} value=${endsAt} onValue=${setEndsAt} problem=${problemAt(error, 'endsAt')} hint=${repeats === '' ? 'Or give a duration.' : 'Empty: without end.'} />
        </div>
        <${TextField} label="Duration in minutes" type="number" min="10" step="any" required=${repeats !== ''} value=${minutes} onValue=${setMinutes} problem=${problemAt(error, 'durationMs')} />
        <${TextField} label="Data (JSON object)" mono rows=${4} spellcheck=${false} value=${data} onValue=${setData} problem=${dataProblem || problemAt(error, 'data')} hint="For the game." />
        <${FormProblem} error=${error} fields=${fields} />
      </form>
    <//>
  `;
}
