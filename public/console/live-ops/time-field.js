import { html } from 'htm/preact';
import { TextField } from '../fields.js';

const minuteMs = 60_000;
export const localZone = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** The value of a `datetime-local` field, `2026-11-30T16:05`, in local time. @param {number | null} at Unix milliseconds */
export function localText(at) {
  if (at === null) return '';
  return new Date(at - new Date(at).getTimezoneOffset() * minuteMs).toISOString().slice(0, 16);
}

/**
 * The time that was typed, in Unix milliseconds; null when the field is empty. A time that was not changed keeps its
 * seconds.
 * @param {string} text
 * @param {number | null} [before] the time that the field showed at first
 */
export function timeOf(text, before = null) {
  if (text === '') return null;
  return before !== null && text === localText(before) ? before : new Date(text).getTime();
}

/**
 * A date and time in local time, whose zone is shown.
 * @param {{ label: string, value: string, onValue: (value: string) => void, hint?: string, problem?: string | undefined, required?: boolean }} props
 */
export function TimeField({ hint, ...props }) {
  return html`<${TextField} type="datetime-local" hint=${`In ${localZone}.${hint ? ` ${hint}` : ''}`} ...${props} />`;
}
