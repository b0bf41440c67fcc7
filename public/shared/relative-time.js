import { html } from 'htm/preact';
import { useEffect, useState } from 'preact/hooks';

const steps = /** @type {const} */ ([
  ['second', 60],
  ['minute', 60],
  ['hour', 24],
  ['day', 7],
  ['week', 4.345],
  ['month', 12],
  ['year', Number.POSITIVE_INFINITY],
]);

const relative = new Intl.RelativeTimeFormat('en', { style: 'short' });
/** `yesterday` says more than `1 day ago`; `next wk.` says less than `in 1 wk.` */
const relativeDays = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
const exact = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'medium', hourCycle: 'h23' });
const exactToTheMinute = new Intl.DateTimeFormat('en', {
  dateStyle: 'medium',
  timeStyle: 'short',
  hourCycle: 'h23',
});
const clock = new Intl.DateTimeFormat('en', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
const clockOfSeconds = new Intl.DateTimeFormat('en', {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
});

const clockOfDay = new Intl.DateTimeFormat('en', {
  weekday: 'short',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
});

/** Younger than this is `just now`; clocks differ by about as much. */
const justNowMs = 5_000;
const refreshMs = 15_000;

/**
 * `just now`, `3 min. ago`, `yesterday`, `in 2 hr.`
 * @param {number} timestamp Unix milliseconds
 * @param {number} now
 */
function relativeTime(timestamp, now) {
  if (Math.abs(timestamp - now) < justNowMs) return 'just now';
  let amount = (timestamp - now) / 1000;
  for (const [unit, size] of steps) {
    const rounded = Math.round(amount);
    if (Math.abs(rounded) < size) return (unit === 'day' ? relativeDays : relative).format(rounded, unit);
    amount /= size;
  }
  return exactTime(timestamp);
}

/**
 * `Nov 30, 2026, 16:05:09`
 * @param {number} timestamp Unix milliseconds
 */
export function exactTime(timestamp) {
  return exact.format(timestamp);
}

/**
 * `Nov 30, 2026, 16:05`, for times with minute precision
 * @param {number} timestamp Unix milliseconds
 */
export function minuteTime(timestamp) {
  return exactToTheMinute.format(timestamp);
}

/**
 * `16:05`, or with seconds `16:05:09`
 * @param {number} timestamp Unix milliseconds
 */
export function clockTime(timestamp, withSeconds = false) {
  return (withSeconds ? clockOfSeconds : clock).format(timestamp);
}

const dateOfYear = new Intl.DateTimeFormat('en', { month: 'short', day: 'numeric' });

/**
 * `Nov 26`
 * @param {number} timestamp Unix milliseconds
 */
export function dayDate(timestamp) {
  return dateOfYear.format(timestamp);
}

/**
 * `Mon 16:05`
 * @param {number} timestamp Unix milliseconds
 */
export function dayTime(timestamp) {
  return clockOfDay.format(timestamp).replace(',', '');
}

// One shared timer: a list with hundreds of times would otherwise have hundreds of timers.
/** @type {Set<(now: number) => void>} */
const watchers = new Set();
const refresh = () => {
  if (document.visibilityState === 'hidden') return;
  for (const watcher of watchers) watcher(Date.now());
};
setInterval(refresh, refreshMs);
document.addEventListener('visibilitychange', refresh);

/**
 * A relative time, kept current; with the exact time on hover and in `datetime`.
 * @param {{ at: number }} props Unix milliseconds
 */
export function RelativeTime({ at }) {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    watchers.add(setNow);
    return () => void watchers.delete(setNow);
  }, []);
  return html`<time datetime=${new Date(at).toISOString()} title=${exactTime(at)}>${relativeTime(at, now)}</time>`;
}
