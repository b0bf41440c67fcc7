import { html } from 'htm/preact';
import { useEffect, useState } from 'preact/hooks';
import { useChanges } from '../shared/observable.js';
import { Empty, ErrorState, LoadingRows } from '../shared/states.js';
import { useAdmin } from './admin.js';
import { Chart } from './chart.js';
import { asBytes, asCount, asDuration, asMs, asRate } from './numbers.js';
import { PageHead } from './page-head.js';

/** @typedef {import('../../src/telemetry/stats.ts').StatsSample} FigureSample */

/** The time range of the charts, in milliseconds: what the server keeps. */
const shownMs = 5 * 60_000;
const pollIntervalMs = 2_000;

const wholeSteps = [0, 1, 2, 3, 4, 5, 6, 7].flatMap((power) => [1, 2, 5].map((digit) => digit * 10 ** power));
const byteSteps = Array.from({ length: 40 }, (_, power) => 2 ** power);

/**
 * @type {readonly {
 *   title: string,
 *   lines: readonly { label: string, tone: string, of: (sample: FigureSample) => number | null }[],
 *   format: (value: number) => string,
 *   steps?: readonly number[],
 * }[]} `steps`: the steps of the y axis
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
  },
  {
    title: 'Errors per second',
    lines: [
      { label: 'failed', tone: '--bad', of: ({ errorsPerSecond }) => errorsPerSecond },
      { label: 'refused', tone: '--quiet', of: ({ refusedPerSecond }) => refusedPerSecond },
    ],
    format: asRate,
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

/** Live statistics of the server. */
export function Overview() {
  const { samples, startedAt, error, retry } = useStats();
  const latest = samples?.at(-1);
  return html`
    <${PageHead} title="Overview">
      ${latest && startedAt !== null && html`<p class="quiet">This node · up ${asDuration(latest.at - startedAt)} · last 5 minutes</p>`}
    <//>
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
                  ({ title, lines, format, steps }) => html`
                  <li key=${title} class="card chart-card">
                    <${StatCard} title=${title} lines=${lines} format=${format} steps=${steps} samples=${samples} />
                  </li>
                `,
                )}
              </ul>
            `
    }
  `;
}

/** @param {Pick<(typeof charts)[number], 'title' | 'lines' | 'format' | 'steps'> & { samples: readonly FigureSample[] }} props */
function StatCard({ title, lines: all, format, steps, samples }) {
  const latest = samples.at(-1);
  // What this server has no figure of at all is left out: PostgreSQL has no write-ahead log of its own.
  const lines = all.filter(({ of }, index) => index === 0 || samples.some((one) => of(one) !== null));
  return html`
    <h2>${title}</h2>
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
      shownSeconds=${shownMs / 1000}
      format=${format}
      steps=${steps}
    />
  `;
}

/** Polls for new samples while the page is visible. */
function useStats() {
  const admin = useAdmin();
  useChanges(admin);
  const [samples, setSamples] = useState(/** @type {readonly FigureSample[] | undefined} */ (undefined));
  const [startedAt, setStartedAt] = useState(/** @type {number | null} */ (null));
  const [error, setError] = useState(/** @type {unknown} */ (null));
  const [tries, setTries] = useState(0);
  useEffect(() => {
    let known = /** @type {readonly FigureSample[]} */ ([]);
    let timer = 0;
    let wanted = true;
    const ask = async () => {
      if (document.visibilityState === 'visible') {
        try {
          const answer = await admin.call('serverFigures', { after: known.at(-1)?.at ?? 0 });
          if (!wanted) return;
          const newest = answer.samples.at(-1)?.at ?? known.at(-1)?.at ?? 0;
          known = [...known, ...answer.samples].filter(({ at }) => at > newest - shownMs);
          setStartedAt(answer.startedAt);
          setSamples(known);
          setError(null);
        } catch (failed) {
          if (!wanted) return;
          setError(failed);
        }
      }
      timer = window.setTimeout(ask, pollIntervalMs);
    };
    ask();
    return () => {
      wanted = false;
      clearTimeout(timer);
    };
    // After a restart, or on another node, the sample times differ: everything is loaded again.
  }, [admin.reconnects, tries]);
  return { samples, startedAt, error, retry: () => setTries((count) => count + 1) };
}
