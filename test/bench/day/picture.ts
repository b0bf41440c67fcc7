import { quantile } from '../rounds.ts';
import type { Sample } from './jobs.ts';

/** One line of the chart. */
export interface Line {
  name: string;
  colour: string;
  /** By bucket; NaN where nothing was measured. */
  values: readonly number[];
}

/** The quantile of every bucket of the given length. */
export function byBucket(
  samples: readonly Sample[],
  kind: Sample['kind'],
  share: number,
  { seconds, bucketSeconds }: { seconds: number; bucketSeconds: number },
): number[] {
  const buckets = Array.from({ length: Math.ceil(seconds / bucketSeconds) }, (): number[] => []);
  for (const { kind: of, at, ms } of samples) {
    if (of === kind) buckets[Math.floor(at / bucketSeconds)]?.push(ms);
  }
  return buckets.map((taken) => quantile(taken, share));
}

const size = { width: 760, height: 320 };
const margin = { left: 56, right: 16, top: 40, bottom: 40 };
/** Of the logarithmic axis, in milliseconds. */
const ticks = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000];

/** An SVG of latencies over time, readable on light and on dark backgrounds. `marks` in seconds. */
export function drawLatencies(
  lines: readonly Line[],
  { seconds, marks }: { seconds: number; marks: readonly number[] },
): string {
  const all = lines.flatMap(({ values }) => values).filter(Number.isFinite);
  const most = ticks.find((tick) => tick >= Math.max(...all)) ?? 5_000;
  const shown = ticks.filter((tick) => tick <= most);
  const inner = {
    width: size.width - margin.left - margin.right,
    height: size.height - margin.top - margin.bottom,
  };
  const x = (second: number) => margin.left + (second / seconds) * inner.width;
  const y = (ms: number) => margin.top + (1 - Math.log(Math.max(1, ms)) / Math.log(most)) * inner.height;
  const grid = shown.map(
    (tick) => `<path d="M${margin.left} ${round(y(tick))}h${inner.width}" stroke="#8884"/>
<text x="${margin.left - 6}" y="${round(y(tick) + 4)}" text-anchor="end">${tick.toLocaleString('en-US')}</text>`,
  );
  const minutes = Array.from({ length: Math.floor(seconds / 60) + 1 }, (_, minute) => minute).map(
    (minute) =>
      `<text x="${round(x(minute * 60))}" y="${size.height - margin.bottom + 18}" text-anchor="middle">${minute}</text>`,
  );
  const storms = marks.map(
    (second) =>
      `<path d="M${round(x(second))} ${margin.top}v${inner.height}" stroke="#888" stroke-dasharray="3 3"/>`,
  );
  const drawn = lines.map(({ colour, values }) => {
    const width = seconds / values.length;
    const points = values.flatMap((ms, at) =>
      Number.isFinite(ms) ? [`${round(x((at + 0.5) * width))},${round(y(ms))}`] : [],
    );
    return `<polyline points="${points.join(' ')}" fill="none" stroke="${colour}" stroke-width="2"/>`;
  });
  const legend = lines.map(
    ({ name, colour }, at) =>
      `<text x="${margin.left + at * 160}" y="20" fill="${colour}" font-weight="600">${name}</text>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size.width} ${size.height}" font-family="sans-serif" font-size="12" fill="#888" role="img" aria-label="Latency over time">
${[...grid, ...minutes, ...storms, ...drawn, ...legend].join('\n')}
<text x="${size.width / 2}" y="${size.height - 6}" text-anchor="middle">minutes</text>
<text x="14" y="${size.height / 2}" text-anchor="middle" transform="rotate(-90 14 ${size.height / 2})">milliseconds</text>
</svg>
`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
