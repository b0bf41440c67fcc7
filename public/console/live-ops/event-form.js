import { html } from 'htm/preact';
import { useId, useMemo } from 'preact/hooks';
import { Button } from '../../shared/button.js';
import { Dialog } from '../../shared/dialog.js';
import { useAdmin } from '../admin.js';
import { draftKey, useFormDraft } from '../drafts.js';
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
  const { typed, edit, isChanged, close } = useFormDraft(
    draftKey(gameId, 'live-ops', `event ${event?.key ?? ''}`),
    {
      key: '',
      title: event?.title ?? '',
      data: JSON.stringify(event?.data ?? {}, null, 2),
      repeats: event?.cron ? 'cron' : '',
      startsAt: localText(event?.startsAt ?? null),
      endsAt: localText(event?.endsAt ?? null),
      minutes: event?.durationMs ? String(event.durationMs / minuteMs) : '',
      cron: event?.cron ?? '',
      timeZone: event?.timeZone ?? localZone,
      version: event?.version,
    },
    onClose,
  );
  const { key, title, data, repeats, startsAt, endsAt, minutes, cron, timeZone } = typed;
  const formId = useId();
  const zonesId = useId();
  const zones = useMemo(() => ['UTC', ...Intl.supportedValuesOf('timeZone')], []);
  const dataProblem = jsonProblem(data);
  const changing = useVersion(typed.version);
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
  }, close);
  return html`
    <${Dialog}
      title=${event === undefined ? 'New event' : `Edit ${event.key}`}
      stays=${isChanged}
      onClose=${close}
      actions=${html`<${Button} onClick=${close}>Cancel<//><${Button} kind="primary" type="submit" form=${formId} busy=${busy} disabled=${dataProblem !== ''}>${event === undefined ? 'Create' : 'Save'}<//>`}
    >
      <form id=${formId} class="form" onSubmit=${submit}>
        ${event === undefined && html`<${TextField} label="Key" required maxlength=${64} spellcheck=${false} placeholder="happy-hour" value=${key} onValue=${edit('key')} problem=${problemAt(error, 'key')} hint="Used by the game and its rules: lowercase letters, digits, hyphens and underscores." />`}
        <${TextField} label="Title" maxlength=${200} value=${title} onValue=${edit('title')} problem=${problemAt(error, 'title')} />
        <${SelectField} label="Takes place" value=${repeats} onValue=${edit('repeats')} options=${[['', 'Once'], ['cron', 'Repeatedly (cron)']]} />
        ${
          repeats !== '' &&
          html`
            <div class="form-row">
              <${TextField} label="Cron expression" mono required maxlength=${100} spellcheck=${false} placeholder="0 18 * * 5" value=${cron} onValue=${edit('cron')} problem=${problemAt(error, 'cron')} hint="Minute, hour, day of the month, month, day of the week." />
              <${TextField} label="Time zone" required maxlength=${100} spellcheck=${false} autocomplete="off" list=${zonesId} value=${timeZone} onValue=${edit('timeZone')} problem=${problemAt(error, 'timeZone')} hint="Of the cron expression, such as Europe/Berlin or UTC." />
            </div>
            <datalist id=${zonesId}>${zones.map((zone) => html`<option key=${zone} value=${zone}></option>`)}</datalist>
          `
        }
        <div class="form-row">
          <${TimeField} label=${repeats === '' ? 'Starts at' : 'Not before'} required value=${startsAt} onValue=${edit('startsAt')} problem=${problemAt(error, 'startsAt')} />
          <${TimeField} label=${repeats === '' ? 'Ends at' : 'Not after'} value=${endsAt} onValue=${edit('endsAt')} problem=${problemAt(error, 'endsAt')} hint=${repeats === '' ? 'Or give a duration.' : 'Empty: without end.'} />
        </div>
        <${TextField} label="Duration in minutes" type="number" min="10" step="any" required=${repeats !== ''} value=${minutes} onValue=${edit('minutes')} problem=${problemAt(error, 'durationMs')} />
        <${TextField} label="Data (JSON object)" mono rows=${4} spellcheck=${false} value=${data} onValue=${edit('data')} problem=${dataProblem || problemAt(error, 'data')} hint="For the game." />
        <${FormProblem} error=${error} fields=${fields} />
      </form>
    <//>
  `;
}
