import { html } from 'htm/preact';
import { useEffect, useState } from 'preact/hooks';
import { useChanges } from '../shared/observable.js';
import { Empty, ErrorState, LoadingRows } from '../shared/states.js';
import { useAdmin } from './admin.js';
import { Chart } from './chart.js';
import { asBytes, asCount, asDuration, asMs, asRate, wholeSteps } from './numbers.js';
import { PageHead } from './page-head.js';
import { rangeName } from './requests-view.js';
import { goTo, linkTo } from './route.js';
import { Summary } from './summary.js';

/** @typedef {import('../../src/telemetry/stats.ts').StatsSample} StatsSample */

/** @typedef {NonNullable<import('./admin.js').Input<'getServerStats'>['range']>} Range */

const minuteMs = 60_000;
/** The time ranges of the charts with their sample intervals, in milliseconds, as the server stores them. */
const ranges = /** @type {const} */ ([
  { range: 'minutes', label: '5 minutes', shownMs: 5 * minuteMs, everyMs: 2_000 },
  { range: 'hour', label: 'Hour', shownMs: 60 * minuteMs, everyMs: 10_000 },
  { range: 'day', label: 'Day', shownMs: 24 * 60 * minuteMs, everyMs: 2 * minuteMs },
  { range: 'week', label: 'Week', shownMs: 7 * 24 * 60 * minuteMs, everyMs: 15 * minuteMs },
]);
/** @typedef {(typeof ranges)[number]} Shown */
/** The maximum poll interval, in milliseconds. */
const maxPollMs = 10_000;

/** The last choice in this tab. */
let chosen = /** @type {Range} */ ('minutes');

const byteSteps = Array.from({ length: 40 }, (_, power) => 2 ** power);

/**
 * @type {readonly {
 *   title: string,
 *   lines: readonly { label: string, tone: string, of: (sample: StatsSample) => number | null }[],
 *   format: (value: number) => string,
 *   steps?: readonly number[],
 *   requests?: 'all' | 'failed' | 'slow',
 * }[]} `steps`: the steps of the y axis; `requests`: which requests the chart links to
 */
const charts = [
  {
    title: 'Sockets',
    lines: [{ label: 'connected', tone: '--accent', of: ({ sockets }) => sockets }],
    format: asCount,
    steps: wholeSteps,
  },
  {
    title: 'Online sessions',
    lines: [{ label: 'online', tone: '--good', of: ({ present }) => present }],
    format: asCount,
    steps: wholeSteps,
  },
  {
    title: 'Requests per second',
    lines: [{ label: 'requests', tone: '--info', of: ({ requestsPerSecond }) => requestsPerSecond }],
    format: asRate,
    requests: 'all',
  },
  {
    title: 'Events per second',
    lines: [{ label: 'events', tone: '--accent', of: ({ eventsPerSecond }) => eventsPerSecond }],
    format: asRate,
  },
  {
    title: 'p99 latency',
    lines: [{ label: 'p99', tone: '--warn', of: ({ p99Ms }) => p99Ms }],
    format: asMs,
    requests: 'slow',
  },
  {
    title: 'Errors per second',
    lines: [
      { label: 'failed', tone: '--bad', of: ({ errorsPerSecond }) => errorsPerSecond },
      { label: 'refused', tone: '--quiet', of: ({ refusedPerSecond }) => refusedPerSecond },
    ],
    format: asRate,
    requests: 'failed',
  },
  {
    title: 'Queued actions',
    lines: [{ label: 'queued', tone: '--info', of: ({ queueDepth }) => queueDepth }],
    format: asCount,
    steps: wholeSteps,
  },
  {
    title: 'Storage',
    lines: [
      { label: 'database', tone: '--good', of: ({ databaseBytes }) => databaseBytes },
      { label: 'write-ahead log', tone: '--quiet', of: ({ logBytes }) => logBytes },
    ],
    format: asBytes,
    steps: byteSteps,
  },
];

/** Statistics of the server, with a summary of players, nodes and storage. */
export function Overview() {
  const [range, setRange] = useState(chosen);
  const shown = ranges.find((one) => one.range === range) ?? ranges[0];
  const { samples, startedAt, error, retry } = useStats(shown);
  const latest = samples?.at(-1);
  /** @param {Range} next */
  const choose = (next) => {
    chosen = next;
    setRange(next);
  };
  return html`
    <${PageHead} title="Overview">
      ${startedAt !== null && html`<p class="quiet">This node · up ${asDuration(Date.now() - startedAt)}</p>`}
    <//>
    <div class="segments" role="group" aria-label="Time range">
      ${ranges.map((one) => html`<button key=${one.range} type="button" class="segment" aria-pressed=${one.range === range ? 'true' : 'false'} onClick=${() => choose(one.range)}>${one.label}</button>`)}
    </div>
    ${
      samples === undefined
        ? error
          ? html`<${ErrorState} error=${error} onRetry=${retry} />`
          : html`<${LoadingRows} label="Loading statistics" />`
        : samples.length === 0
          ? html`<${Empty} icon="clock" title="No data yet"><p>The first sample is taken two seconds after the start.</p><//>`
          : html`
              <ul role="list" class="charts">
                ${charts.map(
                  (chart) => html`
                  <li key=${chart.title} class="card chart-card">
                    <${StatCard} key=${range} chart=${chart} shown=${shown} samples=${samples} latest=${latest} />
                  </li>
                `,
                )}
              </ul>
            `
    }
    <${Summary} />
  `;
}

/** @param {{ chart: (typeof charts)[number], shown: Shown, samples: readonly StatsSample[], latest: StatsSample | undefined }} props */
function StatCard({ chart: { title, lines: all, format, steps, requests }, shown, samples, latest }) {
  // Lines without any values are hidden: on PostgreSQL, for example, the write-ahead log is not measured.
  const lines = all.filter(({ of }, index) => index === 0 || samples.some((one) => of(one) !== null));
  /** @param {number} seconds */
  const open = (seconds) => {
    // A sample of the shortest range covers the time before it; one of a longer range, the time after it.
    const at = seconds * 1000;
    const isAtEnd = shown.range === 'minutes';
    const from = isAtEnd ? at - shown.everyMs : at;
    const to = (isAtEnd ? at : at + shown.everyMs) + 1_000;
    const near = samples.find((sample) => sample.at === at);
    const outcome =
      requests === 'failed' && near && near.errorsPerSecond === 0 ? 'refused' : (requests ?? 'all');
    goTo('requests', outcome, rangeName(from - 1_000, to));
  };
  return html`
    <div class="chart-head">
      <h2>${title}</h2>
      ${requests && html`<a class="small" href=${linkTo('requests', requests)} aria-label="${title}: list requests">Requests</a>`}
    </div>
    <dl class="figures">
      ${lines.map(({ label, of }) => {
        const value = latest ? of(latest) : null;
        return html`
          <div key=${label} class="figure">
            <dd class="figure-value numeric">${value === null ? '–' : format(value)}</dd>
            <dt class="quiet small">${label}</dt>
          </div>
        `;
      })}
    </dl>
    <${Chart}
      key=${lines.length}
      times=${samples.map(({ at }) => at / 1000)}
      lines=${lines.map(({ label, tone, of }) => ({ label, tone, values: samples.map(of) }))}
      shownSeconds=${shown.shownMs / 1000}
      stepSeconds=${shown.everyMs / 1000}
      onPick=${requests && open}
      format=${format}
      steps=${steps}
    />
  `;
}

/**
 * Polls for new samples of a range while the page is visible.
 * @param {Shown} shown
 */
function useStats({ range, shownMs, everyMs }) {
  const admin = useAdmin();
  useChanges(admin);
  const [state, setState] = useState({
    range: /** @type {Range} */ (range),
    samples: /** @type {readonly StatsSample[] | undefined} */ (undefined),
  });
  const [startedAt, setStartedAt] = useState(/** @type {number | null} */ (null));
  const [error, setError] = useState(/** @type {unknown} */ (null));
  const [tries, setTries] = useState(0);
  useEffect(() => {
    let known = /** @type {readonly StatsSample[]} */ ([]);
    let timer = 0;
    let cancelled = false;
    const poll = async () => {
      if (document.visibilityState === 'visible') {
        try {
          // The last sample of a longer range is incomplete, so it is requested again.
          const after = Math.max(0, (known.at(-1)?.at ?? 0) - (range === 'minutes' ? 0 : 1));
          const response = await admin.call('getServerStats', { after, range });
          if (cancelled) return;
          const [first] = response.samples;
          const before = first ? known.filter(({ at }) => at < first.at) : known;
          const newest = response.samples.at(-1)?.at ?? known.at(-1)?.at ?? 0;
          known = [...before, ...response.samples].filter(({ at }) => at > newest - shownMs);
          setStartedAt(response.startedAt);
          setState({ range, samples: known });
          setError(null);
        } catch (failed) {
          if (cancelled) return;
          setError(failed);
        }
      }
      timer = window.setTimeout(poll, Math.min(everyMs, maxPollMs));
    };
    poll();
    return () => {
      cancelled = true;
      clearTimeout(timer);
    };
    // After a restart, or on another node, the sample times differ, so everything is reloaded.
  }, [admin.reconnects, tries, range]);
  const samples = state.range === range ? state.samples : undefined;
  return { samples, startedAt, error, retry: () => setTries((count) => count + 1) };
}
