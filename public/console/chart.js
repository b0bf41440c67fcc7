import { html } from 'htm/preact';
import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import { clockTime, dayDate, dayTime } from '../shared/relative-time.js';

const heightPx = 160;
const labelPx = 11;
/** The steps of the time axis, in seconds; labels show minutes, over several days also the weekday, and over weeks the date. */
const timeSteps = [1, 2, 5, 10, 15, 30, 60, 120, 240, 360, 720, 1_440, 2_880, 5_760, 10_080].map(
  (minutes) => minutes * 60,
);
const daySeconds = 24 * 60 * 60;
/** The shortest time range of a chart, in steps between samples. */
const minSteps = 30;

/**
 * A small chart of recent values, with a tooltip for the values under the pointer. It is hidden from screen readers,
 * because the latest values are shown beside it as text.
 * @param {{
 *   times: readonly number[],
 *   lines: readonly { label: string, tone: string, values: readonly (number | null)[] }[],
 *   shownSeconds: number,
 *   stepSeconds: number,
 *   onPick?: ((at: number) => void) | undefined,
 *   format: (value: number) => string,
 *   steps?: readonly number[],
 * }} props `times` in Unix seconds; `tone` is a colour of tokens.css; `steps` are the steps of the y axis;
 *   `stepSeconds` is the expected time between samples, and much larger ones are gaps; `onPick` is called with the
 *   clicked time in Unix seconds
 */
export function Chart({ times: sampled, lines: measured, shownSeconds, stepSeconds, onPick, format, steps }) {
  const { times, lines } = withGaps(sampled, measured, stepSeconds);
  const place = useRef(/** @type {HTMLDivElement | null} */ (null));
  const chart = useRef(/** @type {uPlot | null} */ (null));
  const data = /** @type {uPlot.AlignedData} */ ([times, ...lines.map(({ values }) => values)]);
  const latest = useRef(data);
  latest.current = data;
  const pick = useRef(onPick);
  pick.current = onPick;

  useEffect(() => {
    const element = place.current;
    if (element === null) return;
    const draw = () => {
      chart.current?.destroy();
      chart.current = new uPlot(
        optionsFor(element, lines, { shownSeconds, stepSeconds, format, steps, pick }),
        latest.current,
        element,
      );
    };
    draw();
    let isShown = true;
    // A canvas is not redrawn when its font has loaded; until then a fallback was measured and drawn.
    document.fonts.ready.then(() => isShown && draw());
    const fit = new ResizeObserver(() =>
      chart.current?.setSize({ width: element.clientWidth, height: heightPx }),
    );
    fit.observe(element);
    // A canvas does not follow theme changes by itself.
    const theme = new MutationObserver(draw);
    theme.observe(document.documentElement, { attributeFilter: ['data-theme'] });
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    scheme.addEventListener('change', draw);
    return () => {
      isShown = false;
      fit.disconnect();
      theme.disconnect();
      scheme.removeEventListener('change', draw);
      chart.current?.destroy();
      chart.current = null;
    };
  }, []);
  // The last sample may be of a period that is not over.
  useEffect(() => chart.current?.setData(data), [times.at(-1), ...lines.map(({ values }) => values.at(-1))]);
  return html`<div class="chart ${onPick ? 'picks' : ''}" ref=${place} aria-hidden="true"></div>`;
}

/**
 * @param {HTMLElement} element
 * @param {readonly { label: string, tone: string }[]} lines
 * @param {{
 *   shownSeconds: number,
 *   stepSeconds: number,
 *   format: (value: number) => string,
 *   steps: readonly number[] | undefined,
 *   pick: { current: ((at: number) => void) | undefined },
 * }} settings
 * @returns {uPlot.Options}
 */
function optionsFor(element, lines, { shownSeconds, stepSeconds, format, steps, pick }) {
  const minSeconds = Math.min(shownSeconds, minSteps * stepSeconds);
  const timeOf = shownSeconds > 7 * daySeconds ? dayDate : shownSeconds > daySeconds ? dayTime : clockTime;
  const colour = coloursOf(element);
  const axis = {
    stroke: colour('--quiet'),
    grid: { stroke: colour('--line'), width: 1 },
    ticks: { show: false },
    font: `${labelPx}px ${getComputedStyle(document.body).fontFamily}`,
    gap: 6,
  };
  const widthOf = textWidthIn(axis.font);
  // Labels are centred under their time, also at both edges.
  const half = Math.ceil(widthOf(timeOf(Date.now())) / 2) + 2;
  return {
    width: element.clientWidth,
    height: heightPx,
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, points: { size: 6 } },
    plugins: [tooltip(lines, format, timeOf, pick)],
    padding: [Math.ceil(labelPx / 2) + 2, half, 0, 0],
    scales: {
      // Shortly after the start, the few samples still fill the whole width.
      x: {
        time: true,
        range: ({ data: [times] }, from, to) => {
          // Around a single sample, uPlot would show days.
          const [first = from, last = to] = [times[0], times.at(-1)];
          return [Math.max(last - shownSeconds, Math.min(first, last - minSeconds)), last];
        },
      },
      y: { range: (_chart, _from, to) => [0, Math.max(1, (to ?? 0) * 1.15)] },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        size: 22,
        space: shownSeconds > daySeconds ? 90 : 70,
        incrs: timeSteps,
        values: (_chart, times) => times.map((at) => timeOf(at * 1000)),
      },
      {
        ...axis,
        size: (_chart, labels) =>
          Math.max(half, Math.ceil(Math.max(0, ...(labels ?? []).map(widthOf))) + axis.gap + 2),
        space: 38,
        values: (_chart, values) => values.map(format),
        ...(steps && { incrs: [...steps] }),
      },
    ],
    series: [
      {},
      ...lines.map(({ label, tone }, index) => ({
        label,
        stroke: colour(tone),
        width: 1.75,
        // A line needs two samples; one without a neighbour is a dot.
        points: { show: false, filter: lonely, size: 7, fill: colour(tone) },
        ...(index === 0 && lines.length === 1 && { fill: `${colour(tone, 0.14)}` }),
      })),
    ],
  };
}

/**
 * The samples of a line that have no neighbour, by index.
 * @param {uPlot} chart
 * @param {number} line
 */
function lonely({ data }, line) {
  const values = data[line] ?? [];
  return [...values.keys()].filter(
    (at) => values[at] != null && values[at - 1] == null && values[at + 1] == null,
  );
}

/**
 * Resolves a colour of tokens.css for use on a canvas, in the current colour scheme.
 * @param {HTMLElement} element
 */
function coloursOf(element) {
  return (/** @type {string} */ token, opacity = 1) => {
    const probe = document.createElement('span');
    probe.hidden = true;
    probe.style.color = `var(${token})`;
    element.append(probe);
    const { color } = getComputedStyle(probe);
    probe.remove();
    return opacity === 1 ? color : color.replace(/^rgb\((.*)\)$/, `rgba($1, ${opacity})`);
  };
}

/**
 * Measures the width of texts in a font, in pixels.
 * @param {string} font
 */
function textWidthIn(font) {
  const context = document.createElement('canvas').getContext('2d');
  if (context) context.font = font;
  return (/** @type {string} */ text) => context?.measureText(text).width ?? 0;
}

/**
 * Shows the time and the values under the pointer, on the side with more room.
 * @param {readonly { label: string }[]} lines
 * @param {(value: number) => string} format
 * @param {(at: number, withSeconds?: boolean) => string} timeOf
 * @param {{ current: ((at: number) => void) | undefined }} pick
 * @returns {uPlot.Plugin}
 */
function tooltip(lines, format, timeOf, pick) {
  const box = document.createElement('div');
  box.className = 'chart-tooltip';
  box.hidden = true;
  return {
    hooks: {
      init: (chart) => {
        chart.over.append(box);
        chart.over.addEventListener('click', () => {
          const { idx } = chart.cursor;
          const at = idx == null ? undefined : chart.data[0][idx];
          if (at !== undefined) pick.current?.(at);
        });
      },
      setCursor: (chart) => {
        const { idx, left = -1 } = chart.cursor;
        const at = idx == null ? undefined : chart.data[0][idx];
        box.hidden = at === undefined || left < 0;
        if (at === undefined || idx == null) return;
        box.replaceChildren(
          row('chart-tooltip-time', timeOf(at * 1000, true)),
          ...lines.map(({ label }, line) => {
            const value = chart.data[line + 1]?.[idx];
            return row('', `${value == null ? '–' : format(value)} ${label}`);
          }),
          ...(pick.current ? [row('chart-tooltip-time', 'Click to list requests')] : []),
        );
        const isLeft = left > chart.over.clientWidth / 2;
        box.style.left = isLeft ? 'auto' : `${left + 8}px`;
        box.style.right = isLeft ? `${chart.over.clientWidth - left + 8}px` : 'auto';
      },
    },
  };
}

/** @param {string} className @param {string} text */
function row(className, text) {
  const element = document.createElement('div');
  element.className = className;
  element.textContent = text;
  return element;
}

/**
 * Adds a sample without values where samples are missing, so that lines have a gap there.
 * @template {{ values: readonly (number | null)[] }} Line
 * @param {readonly number[]} times
 * @param {readonly Line[]} lines
 * @param {number} stepSeconds
 * @returns {{ times: readonly number[], lines: readonly Line[] }}
 */
function withGaps(times, lines, stepSeconds) {
  const gaps = times.flatMap((at, index) => (at - (times[index - 1] ?? at) > 3 * stepSeconds ? [index] : []));
  if (gaps.length === 0) return { times, lines };
  /** @template Value @param {readonly Value[]} values @param {(before: number) => Value} filler */
  const filled = (values, filler) =>
    values.flatMap((value, index) => (gaps.includes(index) ? [filler(index - 1), value] : [value]));
  return {
    times: filled(times, (before) => (times[before] ?? 0) + stepSeconds),
    lines: lines.map((line) => ({ ...line, values: filled(line.values, () => null) })),
  };
}
