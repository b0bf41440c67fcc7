import { html } from 'htm/preact';
import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import { clockTime } from '../shared/relative-time.js';

const heightPx = 160;
/** The shortest time range of a chart. */
const minSeconds = 60;

/**
 * A small chart of the last minutes. The latest value is shown beside it as text; the canvas is hidden from
 * screen readers.
 * @param {{
 *   times: readonly number[],
 *   lines: readonly { label: string, tone: string, values: readonly (number | null)[] }[],
 *   shownSeconds: number,
 *   format: (value: number) => string,
 *   steps?: readonly number[],
 * }} props `times` in Unix seconds; `tone` is a colour of tokens.css; `steps` are the steps of the y axis
 */
export function Chart({ times, lines, shownSeconds, format, steps }) {
  const place = useRef(/** @type {HTMLDivElement | null} */ (null));
  const chart = useRef(/** @type {uPlot | null} */ (null));
  const data = /** @type {uPlot.AlignedData} */ ([times, ...lines.map(({ values }) => values)]);
  const latest = useRef(data);
  latest.current = data;

  useEffect(() => {
    const element = place.current;
    if (element === null) return;
    const draw = () => {
      chart.current?.destroy();
      chart.current = new uPlot(
        optionsFor(element, lines, shownSeconds, format, steps),
        latest.current,
        element,
      );
    };
    draw();
    const fit = new ResizeObserver(() =>
      chart.current?.setSize({ width: element.clientWidth, height: heightPx }),
    );
    fit.observe(element);
    // A canvas does not follow the colours by itself.
    const theme = new MutationObserver(draw);
    theme.observe(document.documentElement, { attributeFilter: ['data-theme'] });
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    scheme.addEventListener('change', draw);
    return () => {
      fit.disconnect();
      theme.disconnect();
      scheme.removeEventListener('change', draw);
      chart.current?.destroy();
      chart.current = null;
    };
  }, []);
  useEffect(() => chart.current?.setData(data), [times.at(-1)]);
  return html`<div class="chart" ref=${place} aria-hidden="true"></div>`;
}

/**
 * @param {HTMLElement} element
 * @param {readonly { label: string, tone: string }[]} lines
 * @param {number} shownSeconds
 * @param {(value: number) => string} format
 * @param {readonly number[]} [steps]
 * @returns {uPlot.Options}
 */
function optionsFor(element, lines, shownSeconds, format, steps) {
  const colour = coloursOf(element);
  const axis = {
    stroke: colour('--quiet'),
    grid: { stroke: colour('--line'), width: 1 },
    ticks: { show: false },
    font: `11px ${getComputedStyle(document.body).fontFamily}`,
  };
  return {
    width: element.clientWidth,
    height: heightPx,
    legend: { show: false },
    cursor: { show: false },
    padding: [6, 6, 0, 0],
    scales: {
      // Shortly after the start the samples still take the whole width, of at least a minute.
      x: {
        time: true,
        range: (_chart, from, to) => [Math.max(to - shownSeconds, Math.min(from, to - minSeconds)), to],
      },
      y: { range: (_chart, _from, to) => [0, Math.max(1, (to ?? 0) * 1.15)] },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        size: 22,
        space: 70,
        values: (_chart, times) => times.map((at) => clockTime(at * 1000)),
      },
      {
        ...axis,
        size: 50,
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
        points: { show: false },
        ...(index === 0 && lines.length === 1 && { fill: `${colour(tone, 0.14)}` }),
      })),
    ],
  };
}

/**
 * A colour of tokens.css as a canvas takes it: resolved for the scheme that is shown.
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
