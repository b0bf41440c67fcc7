import { html } from 'htm/preact';
import { useEffect, useState } from 'preact/hooks';
import { useChanges } from '../shared/observable.js';
import { RelativeTime } from '../shared/relative-time.js';
import { Empty, ErrorState, LoadingRows } from '../shared/states.js';
import { useAdmin } from './admin.js';
import { Chart } from './chart.js';
import { asBytes, asCount, asMs, asRate } from './numbers.js';
import { PageHead } from './page-head.js';

/** @typedef {import('../../src/figures/figures.ts').FigureSample} FigureSample */

/** How much of the past the charts show, in milliseconds; as much as the server keeps. */
const shownMs = 5 * 60_000;
const askEveryMs = 2_000;

const wholeSteps = [0, 1, 2, 3, 4, 5, 6, 7].flatMap((power) => [1, 2, 5].map((digit) => digit * 10 ** power));
const byteSteps = Array.from({ length: 40 }, (_, power) => 2 ** power);

/**
 * @type {readonly {
 *   title: string,
 *   lines: readonly { label: string, tone: string, of: (sample: FigureSample) => number | null }[],
 *   format: (value: number) => string,
 *   steps?: readonly number[],
 * }[]} `steps`: what the axis may count by
 */
const charts = [
  {
    title: 'Sockets',
    lines: [{ label: 'connected', tone: '--accent', of: ({ sockets }) => sockets }],
    format: asCount,
    steps: wholeSteps,
  },
  {
    title: 'Sessions with someone there',
    lines: [{ label: 'present', tone: '--good', of: ({ present }) => present }],
    format: asCount,
    steps: wholeSteps,
  },
  {
    title: 'Requests a second',
    lines: [{ label: 'requests', tone: '--info', of: ({ requestsPerSecond }) => requestsPerSecond }],
    format: asRate,
  },
  {
    title: 'Events a second',
    lines: [{ label: 'events', tone: '--accent', of: ({ eventsPerSecond }) => eventsPerSecond }],
    format: asRate,
  },
  {
    title: 'Time of the slowest 1 % (p99)',
    lines: [{ label: 'at most', tone: '--warn', of: ({ p99Ms }) => p99Ms }],
    format: asMs,
  },
  {
    title: 'Errors a second',
    lines: [
      { label: 'failed', tone: '--bad', of: ({ errorsPerSecond }) => errorsPerSecond },
      { label: 'refused', tone: '--quiet', of: ({ refusedPerSecond }) => refusedPerSecond },
    ],
    format: asRate,
  },
  {
    title: 'Actions in the queue',
    lines: [{ label: 'waiting', tone: '--info', of: ({ queueDepth }) => queueDepth }],
    format: asCount,
    steps: wholeSteps,
  },
  {
    title: 'Database',
    lines: [{ label: 'on disk', tone: '--good', of: ({ databaseBytes }) => databaseBytes }],
    format: asBytes,
    steps: byteSteps,
  },
];

/** How the server is doing, as it happens. */
export function Overview() {
  const { samples, startedAt, error, retry } = useFigures();
  return html`
    <${PageHead} title="Overview">
      ${startedAt && html`<p class="quiet">The process that answers started <${RelativeTime} at=${startedAt} />. The last five minutes, live.</p>`}
    <//>
    ${
      samples === undefined
        ? error
          ? html`<${ErrorState} error=${error} onRetry=${retry} />`
          : html`<${LoadingRows} label="Loading the figures" />`
        : samples.length === 0
          ? html`<${Empty} icon="clock" title="Nothing measured yet"><p>The first figures come two seconds after the start.</p><//>`
          : html`
              <ul role="list" class="charts">
                ${charts.map(
                  ({ title, lines, format, steps }) => html`
                  <li key=${title} class="card chart-card">
                    <${Figure} title=${title} lines=${lines} format=${format} steps=${steps} samples=${samples} />
                  </li>
                `,
                )}
              </ul>
            `
    }
  `;
}

/** @param {Pick<(typeof charts)[number], 'title' | 'lines' | 'format' | 'steps'> & { samples: readonly FigureSample[] }} props */
function Figure({ title, lines, format, steps, samples }) {
  const latest = samples.at(-1);
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
      times=${samples.map(({ at }) => at / 1000)}
      lines=${lines.map(({ label, tone, of }) => ({ label, tone, values: samples.map(of) }))}
      shownSeconds=${shownMs / 1000}
      format=${format}
      steps=${steps}
    />
  `;
}

/** Asks for what is new every two seconds, as long as the page is looked at. */
function useFigures() {
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
      timer = window.setTimeout(ask, askEveryMs);
    };
    ask();
    return () => {
      wanted = false;
      clearTimeout(timer);
    };
    // After a restart, or on another node, its times are others: all of it is asked for anew.
  }, [admin.returns, tries]);
  return { samples, startedAt, error, retry: () => setTries((count) => count + 1) };
}
