import { html } from 'htm/preact';
import { useState } from 'preact/hooks';
import { Button } from '../../shared/button.js';
import { Icon } from '../../shared/icon.js';
import { Empty } from '../../shared/states.js';
import { Table } from '../../shared/table.js';
import { useAdmin } from '../admin.js';
import { Allowed } from '../allowed.js';
import { TimeCell } from '../cells.js';
import { ConfirmButton } from '../confirm-button.js';
import { useQuery, useReloadWhenPassed } from '../queries.js';
import { EventForm } from './event-form.js';
import { localZone } from './time-field.js';

/** @typedef {import('../admin.js').Output<'listGameEvents'>['events'][number]} CalendarEvent */

/** A game's calendar. @param {{ game: import('../game-view.js').Game }} props */
export function Calendar({ game }) {
  const admin = useAdmin();
  const { gameId } = game;
  const { result, error, reload } = useQuery(() => admin.call('listGameEvents', { gameId }), [gameId]);
  useReloadWhenPassed(
    result?.events,
    ({ current, next }) => [current?.endsAt ?? next?.startsAt ?? null],
    reload,
  );
  const [editing, setEditing] = useState(/** @type {CalendarEvent | 'new' | null} */ (null));
  /** @type {import('../../shared/table.js').Column<CalendarEvent>[]} */
  const columns = [
    {
      title: 'Event',
      narrow: 'main',
      cell: ({ key, title, active, current, next }) => html`
        <span class="name-cell"><strong class="truncate" title=${key}>${key}</strong>${title && html`<span class="truncate">${title}</span>`}${active ? html`<span class="badge good">active</span>` : !current && !next && html`<span class="badge">over</span>`}</span>
      `,
    },
    {
      title: 'Schedule',
      narrow: 'omit',
      cell: ({ cron, timeZone }) =>
        html`<span class="mono small">${cron === null ? 'once' : `${cron} (${timeZone})`}</span>`,
    },
    {
      title: 'Current',
      cell: ({ current, timeZone }) => html`<${Occurrence} of=${current} timeZone=${timeZone} until />`,
    },
    {
      title: 'Next',
      cell: ({ next, timeZone }) => html`<${Occurrence} of=${next} timeZone=${timeZone} />`,
    },
    {
      title: 'Actions',
      hidden: true,
      cell: (event) => html`
        <span class="row-buttons">
          <${Allowed} to="updateEvent"><${Button} size="small" aria-label="Edit ${event.key}" onClick=${() => setEditing(event)}>Edit<//><//>
          <${ConfirmButton}
            needs="removeEvent"
            label="Remove ${event.key}"
            icon="trash"
            iconOnly
            kind="plain"
            title="Remove the event ${event.key}?"
            confirm="Remove"
            act=${() => admin.call('removeEvent', { gameId, key: event.key })}
            done="Event removed"
            reload=${reload}
          >
            <p>${event.active ? 'It ends now, and players are notified.' : 'It will not take place.'}</p>
          <//>
        </span>
      `,
    },
  ];
  return html`
    <section class="card" aria-labelledby="calendar">
      <div class="card-head">
        <h2 id="calendar">Calendar</h2>
        <${Allowed} to="createEvent"><${Button} size="small" onClick=${() => setEditing('new')}><${Icon} name="plus" />New event<//><//>
      </div>
      <${Table}
        caption="Calendar of ${game.name}"
        columns=${columns}
        rows=${result?.events}
        keyOf=${(/** @type {CalendarEvent} */ { key }) => key}
        error=${error}
        onRetry=${reload}
        empty=${html`<${Empty} icon="clock" title="No events"><p>A holiday, a tournament, a happy hour: the game and its rules know when it is active.</p><//>`}
      />
    </section>
    ${
      editing !== null &&
      html`<${EventForm}
        gameId=${gameId}
        event=${editing === 'new' ? undefined : editing}
        onClose=${() => {
          setEditing(null);
          reload();
        }}
      />`
    }
  `;
}

/**
 * The start of an occurrence, or with `until` its end, in the event's time zone and in local time.
 * @param {{ of: CalendarEvent['next'], timeZone: string, until?: boolean }} props
 */
function Occurrence({ of, timeZone, until = false }) {
  if (of === null) return html`<span class="quiet">–</span>`;
  const at = until ? of.endsAt : of.startsAt;
  return html`
    <span class="occurrence">${until && 'until '}${timeIn(timeZone, at)}${timeZone !== localZone && html` <span class="quiet small">(${timeIn(localZone, at)})</span>`} <span class="quiet small"><${TimeCell} at=${at} /></span></span>
  `;
}

/** @param {string} timeZone @param {number} at */
function timeIn(timeZone, at) {
  const format = { dateStyle: 'medium', timeStyle: 'short', hourCycle: 'h23', timeZone };
  const text = new Intl.DateTimeFormat('en', /** @type {Intl.DateTimeFormatOptions} */ (format)).format(at);
  return `${text} ${timeZone}`;
}
