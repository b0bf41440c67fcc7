import { html } from 'htm/preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Button } from '../shared/button.js';
import { Dialog } from '../shared/dialog.js';
import { Icon } from '../shared/icon.js';
import { useChanges } from '../shared/observable.js';
import { clockTime, exactTime } from '../shared/relative-time.js';
import { Empty, ErrorState, LoadingRows } from '../shared/states.js';
import { useAdmin } from './admin.js';
import { isoTime, PlayerCell } from './cells.js';
import { ExportButtons } from './export-buttons.js';
import { SelectField, TextField } from './fields.js';
import { gameChoices, useGameNames } from './game-names.js';
import { JsonView } from './json-view.js';
import { asCount } from './numbers.js';
import { usePlayerFilter } from './player-filter.js';
import { pageSize } from './queries.js';
import { useDebounced } from './use-debounced.js';
import { VirtualTable } from './virtual-table.js';

/** @typedef {import('./admin.js').Output<'listEvents'>['events'][number]} TailEvent */

/** The maximum number of events in the view; the oldest are dropped. */
const maxEvents = 5_000;
const pollIntervalMs = 1_000;

/**
 * Every event as it is committed, newest first.
 * @param {{ game?: import('./game-view.js').Game }} props
 */
export function EventsView({ game }) {
  const [paused, setPaused] = useState(false);
  const [name, setName] = useState('');
  const [ofGameId, setGameId] = useState(game?.gameId ?? '');
  const player = usePlayerFilter(ofGameId || undefined);
  const { names: gameNames, nameOf } = useGameNames();
  const [search, setSearch] = useState('');
  const [shown, setShown] = useState(/** @type {TailEvent | null} */ (null));
  const [atTop, setAtTop] = useState(true);
  const { events, error, retry } = useTail();
  const searchText = useDebounced(search.trim().toLowerCase());
  // While the user has scrolled down or paused, the rows must not move.
  const frozen = paused || !atTop || shown !== null;
  const displayed = useRef(/** @type {readonly TailEvent[] | undefined} */ (undefined));
  if (!frozen || displayed.current === undefined) displayed.current = events;
  const ofGame = (/** @type {TailEvent} */ event) => ofGameId === '' || event.gameId === ofGameId;
  const names = [...new Set(events?.filter(ofGame).map((event) => event.name))].toSorted();
  const matching = (/** @type {readonly TailEvent[] | undefined} */ all) =>
    all?.filter(
      (event) =>
        ofGame(event) &&
        (name === '' || event.name === name) &&
        (player.wallet === '' || event.wallets?.includes(player.wallet)) &&
        (searchText === '' || textOf(event).includes(searchText)),
    );
  const rows = matching(displayed.current);
  const newestShown = displayed.current?.[0]?.position ?? 0;
  const waiting = frozen
    ? (matching(events?.filter(({ position }) => position > newestShown))?.length ?? 0)
    : 0;
  const resume = () => {
    setPaused(false);
    setAtTop(true);
    document.querySelector('.virtual')?.scrollTo({ top: 0 });
  };
  /** @type {import('./virtual-table.js').Column<TailEvent>[]} */
  const columns = [
    {
      title: 'Time',
      cell: ({ at }) =>
        html`<time class="numeric" datetime=${new Date(at).toISOString()} title=${exactTime(at)}>${clockTime(at, true)}</time>`,
      value: ({ at }) => isoTime(at),
    },
    {
      title: 'Event',
      narrow: 'main',
      cell: ({ name: eventName }) => html`<strong>${eventName}</strong>`,
      value: ({ name: eventName }) => eventName,
    },
    ...(game === undefined
      ? [
          {
            title: 'Game',
            narrow: /** @type {const} */ ('bare'),
            cell: (/** @type {TailEvent} */ event) =>
              html`<span class="truncate">${nameOf(event.gameId)}</span>`,
            value: (/** @type {TailEvent} */ event) => nameOf(event.gameId),
          },
        ]
      : []),
    {
      title: 'Player',
      narrow: 'bare',
      cell: ({ wallets }) =>
        wallets?.[0]
          ? html`<${PlayerCell} wallet=${wallets[0]} brief />${wallets.length > 1 ? html`<span class="quiet small"> +${wallets.length - 1}</span>` : ''}`
          : html`<span class="quiet">everyone</span>`,
      value: ({ wallets }) => wallets?.join(' ') ?? '',
    },
    {
      title: 'Record',
      narrow: 'omit',
      wide: true,
      cell: ({ record }) => html`<span class="truncate quiet">${summaryOf(record)}</span>`,
      value: ({ record }) => JSON.stringify(record),
    },
    { title: 'Position', exportOnly: true, cell: () => null, value: ({ position }) => position },
    { title: 'Stream', exportOnly: true, cell: () => null, value: ({ stream }) => stream },
    { title: 'Seq', exportOnly: true, cell: () => null, value: ({ seq }) => seq },
    {
      title: 'Show',
      hidden: true,
      cell: (event) =>
        html`<${Button} size="small" aria-label="Show event ${event.position}" onClick=${() => setShown(event)}>Show<//>`,
    },
  ];
  return html`
    <div class="card table-card">
      <div class="table-tools">
        <div class="filters">
          <${TextField} label="Search events" hideLabel type="search" placeholder="Search by ID or text" maxlength=${200} value=${search} onValue=${setSearch} />
          ${player.field}
          ${game === undefined && html`<${SelectField} label="Game" hideLabel value=${ofGameId} onValue=${setGameId} options=${gameChoices(gameNames)} />`}
          <${SelectField} label="Event" hideLabel value=${name} onValue=${setName} options=${[['', 'All events'], ...names.map((one) => [one, one])]} />
        </div>
        <span class="badge ${paused ? 'warn' : error ? 'bad' : 'good busy'}" role="status">${paused ? 'Paused' : error ? 'Disconnected' : 'Live'}</span>
        <${Button} size="small" aria-pressed=${paused ? 'true' : 'false'} onClick=${() => (paused ? resume() : setPaused(true))}>
          <${Icon} name=${paused ? 'play' : 'pause'} />${paused ? 'Resume' : 'Pause'}
        <//>
        <${ExportButtons}
          columns=${columns}
          pages=${{ rows, total: rows?.length, complete: true, loadMore: async () => ({ rows: rows ?? [], complete: true }) }}
          fileName=${game ? `${game.slug}-events` : 'events'}
        />
      </div>
      ${waiting > 0 && html`<button type="button" class="waiting" onClick=${resume}>Show ${asCount(waiting)} new ${waiting === 1 ? 'event' : 'events'}</button>`}
      ${
        rows === undefined
          ? error
            ? html`<${ErrorState} error=${error} onRetry=${retry} />`
            : html`<${LoadingRows} label="Loading events" />`
          : rows.length === 0
            ? html`<${Empty} icon="send" title=${searchText || name || ofGameId !== (game?.gameId ?? '') || player.wallet ? 'No matching events' : 'No events yet'}><p>New events appear here as they are committed.</p><//>`
            : html`<${VirtualTable} caption="Events, newest first" columns=${columns} rows=${rows} keyOf=${(/** @type {TailEvent} */ event) => String(event.position)} onScrolled=${setAtTop} />`
      }
    </div>
    ${
      shown &&
      html`
        <${Dialog} title=${shown.name} onClose=${() => setShown(null)} actions=${html`<${Button} onClick=${() => setShown(null)}>Close<//>`}>
          <dl class="facts">
            <div><dt>Time</dt><dd>${exactTime(shown.at)}</dd></div>
            <div><dt>Game</dt><dd>${nameOf(shown.gameId)}</dd></div>
            <div><dt>Stream</dt><dd class="mono wrap">${shown.stream}</dd></div>
            <div><dt>Seq</dt><dd>${asCount(shown.seq)}</dd></div>
            <div><dt>Recipients</dt><dd class="wrap">${shown.wallets === null ? 'subscribers of the game' : shown.wallets.map((wallet) => html`<${PlayerCell} key=${wallet} wallet=${wallet} />`)}</dd></div>
          </dl>
          <h3>Record</h3>
          <${JsonView} value=${shown.record} label="Record" />
        <//>
      `
    }
  `;
}

/** Fields that every event has, or that have a separate column. */
const omittedFields = new Set([
  '_id',
  'id',
  'gameId',
  'normalizedAddress',
  'createdAt',
  'updatedAt',
  'timestamp',
]);

/** IDs and wallets are left out of the summary; the full record has them. @param {string} text */
function isId(text) {
  return text === '' || /^([0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|0x[0-9a-f]{40})$/.test(text);
}

/**
 * An event's record, summarized in a line.
 * @param {unknown} record
 */
function summaryOf(record) {
  return Object.entries(Object(record))
    .filter(([key, value]) => !omittedFields.has(key) && !(typeof value === 'string' && isId(value)))
    .map(([key, value]) => `${key}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(' · ');
}

/** The searched text of each event, computed once. @type {WeakMap<TailEvent, string>} */
const texts = new WeakMap();

/** @param {TailEvent} event */
function textOf(event) {
  const text = texts.get(event) ?? JSON.stringify(event).toLowerCase();
  texts.set(event, text);
  return text;
}

/** Polls the server's events while the page is visible, and catches up afterwards. */
function useTail() {
  const admin = useAdmin();
  useChanges(admin);
  const [events, setEvents] = useState(/** @type {readonly TailEvent[] | undefined} */ (undefined));
  const [error, setError] = useState(/** @type {unknown} */ (null));
  const [tries, setTries] = useState(0);
  const cursor = useRef(/** @type {string | undefined} */ (undefined));
  useEffect(() => {
    let cancelled = false;
    let timer = 0;
    const poll = async () => {
      let more = document.visibilityState === 'visible';
      try {
        while (more && !cancelled) {
          const after = cursor.current;
          const page = await admin.call('listEvents', {
            limit: pageSize,
            ...(after !== undefined && { after }),
          });
          if (cancelled) return;
          cursor.current = page.cursor;
          more = page.more;
          const arrived = page.events.toReversed();
          if (arrived.length > 0 || after === undefined) {
            setEvents((before = []) => [...arrived, ...before].slice(0, maxEvents));
          }
          setError(null);
        }
      } catch (failed) {
        if (!cancelled) setError(failed);
      }
      if (!cancelled) timer = window.setTimeout(poll, pollIntervalMs);
    };
    poll();
    return () => {
      cancelled = true;
      clearTimeout(timer);
    };
  }, [tries]);
  return { events, error, retry: () => setTries((count) => count + 1) };
}
