import { html } from 'htm/preact';
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { ApiError } from '../shared/api.js';
import { messageOf } from '../shared/states.js';
import { isTokenRefused } from './admin.js';
import { lineOf } from './json-positions.js';

/**
 * A labelled text input, or with `rows` a text area. Other props are passed to the element.
 * @param {{
 *   label: string,
 *   value: string,
 *   onValue: (value: string) => void,
 *   hint?: string,
 *   problem?: string | undefined,
 *   rows?: number,
 *   mono?: boolean,
 *   hideLabel?: boolean,
 *   [attribute: string]: unknown,
 * }} props
 */
export function TextField({ label, value, onValue, hint, problem, rows, mono, hideLabel, ...rest }) {
  const id = useId();
  const attributes = {
    id,
    class: `input ${mono ? 'mono' : ''}`,
    value,
    'aria-invalid': problem ? 'true' : undefined,
    'aria-describedby': problem || hint ? `${id}-more` : undefined,
    onInput: (/** @type {Event} */ event) =>
      onValue(/** @type {HTMLInputElement} */ (event.currentTarget).value),
    ...rest,
  };
  return html`
    <div class="field">
      <label for=${id} class=${hideLabel ? 'visually-hidden' : ''}>${label}</label>
      ${rows ? html`<textarea rows=${rows} ...${attributes}></textarea>` : html`<input type="text" ...${attributes} />`}
      <${More} id=${`${id}-more`} hint=${hint} problem=${problem} />
    </div>
  `;
}

/**
 * A labelled select.
 * @param {{
 *   label: string,
 *   value: string,
 *   onValue: (value: string) => void,
 *   options: readonly (readonly [value: string, label: string])[],
 *   hint?: string,
 *   hideLabel?: boolean,
 * }} props
 */
export function SelectField({ label, value, onValue, options, hint, hideLabel }) {
  const id = useId();
  return html`
    <div class="field">
      <label for=${id} class=${hideLabel ? 'visually-hidden' : ''}>${label}</label>
      <select
        id=${id}
        class="input select"
        value=${value}
        aria-describedby=${hint ? `${id}-more` : undefined}
        onChange=${(/** @type {Event} */ event) => onValue(/** @type {HTMLSelectElement} */ (event.currentTarget).value)}
      >
        ${options.map(([key, name]) => html`<option key=${key} value=${key} selected=${key === value}>${name}</option>`)}
      </select>
      <${More} id=${`${id}-more`} hint=${hint} />
    </div>
  `;
}

/**
 * A labelled checkbox.
 * @param {{ label: string, checked: boolean, onChecked: (checked: boolean) => void, hint?: string }} props
 */
export function CheckField({ label, checked, onChecked, hint }) {
  const id = useId();
  return html`
    <div class="field check">
      <input
        id=${id}
        type="checkbox"
        checked=${checked}
        aria-describedby=${hint ? `${id}-more` : undefined}
        onChange=${(/** @type {Event} */ event) => onChecked(/** @type {HTMLInputElement} */ (event.currentTarget).checked)}
      />
      <label for=${id}>${label}</label>
      <${More} id=${`${id}-more`} hint=${hint} />
    </div>
  `;
}

/** @param {{ id: string, hint?: string | undefined, problem?: string | undefined }} props */
function More({ id, hint, problem }) {
  if (problem) return html`<p id=${id} class="problem" role="alert">${problem}</p>`;
  return hint ? html`<p id=${id} class="hint">${hint}</p>` : null;
}

/** @typedef {{ path: string, message: string }} FieldProblem */

/**
 * @param {unknown} error
 * @returns {readonly FieldProblem[]}
 */
function problemsIn(error) {
  return error instanceof Error && 'errors' in error && Array.isArray(error.errors) ? error.errors : [];
}

/** Whether a problem is at a path or below it. @param {FieldProblem} problem @param {string} path */
const isAt = (problem, path) => problem.path === path || problem.path.startsWith(`${path}.`);

/**
 * The problem of one field of a rejected call. `describe` turns the rest of the path, which points into the field's
 * value, into text; by default it is shown as is, for JSON that the user has typed.
 * @param {unknown} error
 * @param {string} path
 * @param {(inside: string) => string} [describe]
 * @returns {string | undefined}
 */
export function problemAt(error, path, describe = (inside) => inside) {
  const found = problemsIn(error).filter((problem) => isAt(problem, path));
  if (found.length === 0) return undefined;
  return found
    .map(({ path: at, message }) => {
      const inside = at.slice(path.length + 1);
      return inside === '' ? sentence(message) : `${describe(inside)}: ${message}`;
    })
    .join('; ');
}

/**
 * Like `problemAt`, for a text area whose non-empty lines are the entries of a list.
 * @param {unknown} error
 * @param {string} path
 * @param {string} text
 */
export function problemAtLine(error, path, text) {
  const lines = text.split('\n').flatMap((line, index) => (line.trim() === '' ? [] : [index + 1]));
  return problemAt(error, path, (inside) => `Line ${lines[Number.parseInt(inside, 10)] ?? '?'}`);
}

/**
 * Why a call was rejected. Empty when the token is no longer valid: the dialog to sign in again says so, and after that it
 * would no longer be true.
 * @param {unknown} error
 */
export const problemOf = (error) => (isTokenRefused(error) ? '' : messageOf(error));

/** Without a response, only the server knows whether it has saved it: sent again, it may be there twice. @param {unknown} error */
const isUnanswered = (error) =>
  error instanceof ApiError && ['connection_lost', 'timed_out'].includes(error.reason);

/**
 * Why a form was rejected; problems shown at fields are not repeated, and the first invalid field gets the focus.
 * @param {{ error: unknown, fields: readonly string[] }} props `fields`: the paths of the fields that show their own
 *   problems
 */
export function FormProblem({ error, fields }) {
  const banner = useRef(/** @type {HTMLElement | null} */ (null));
  // A field with a problem may not be in the form at the moment.
  const [isMarked, setMarked] = useState(true);
  // In a long form, both may be outside the viewport.
  useLayoutEffect(() => {
    if (error === null) return;
    const invalid = banner.current?.closest('form')?.querySelector('[aria-invalid="true"]');
    setMarked(invalid instanceof HTMLElement);
    if (invalid instanceof HTMLElement) invalid.focus();
    else banner.current?.scrollIntoView({ block: 'nearest' });
  }, [error]);
  if (error === null || problemOf(error) === '') return null;
  const problems = problemsIn(error);
  const isAtFields =
    problems.length > 0 && problems.every((problem) => fields.some((path) => isAt(problem, path)));
  return html`<p class="banner bad" role="alert" ref=${banner}>${isAtFields && isMarked ? 'Correct the marked fields.' : messageOf(error)}${isUnanswered(error) && ' What you sent may have been saved all the same: look in another tab before you send it again.'}</p>`;
}

/**
 * The problem of a text that must be JSON; empty when it is valid.
 * @param {string} text
 */
export function jsonProblem(text) {
  try {
    return roundingProblem(text)?.message ?? '';
  } catch (error) {
    // V8 reports the position; other engines report lines in their own format, or nothing.
    const [, position] = /position (\d+)/.exec(messageOf(error)) ?? [];
    const line = position === undefined ? '' : ` on line ${lineOf(text, Number(position))}`;
    return `Invalid JSON${text.trim() === '' ? ': the field is empty' : line}`;
  }
}

/**
 * The problem of valid JSON with a number that cannot be kept as it was written, and where that number is.
 * @param {string} text
 * @throws SyntaxError for invalid JSON
 */
export function roundingProblem(text) {
  const number = inexactNumberIn(text);
  if (number === undefined) return null;
  return { message: `${number} would be rounded: write it as a string`, start: text.indexOf(number) };
}

/**
 * The first whole number in JSON that would be rounded, which the server could not notice any more, or that is too
 * large; undefined for none, and in browsers that do not tell how a number was written.
 * @param {string} text
 */
function inexactNumberIn(text) {
  /** @type {string | undefined} */
  let found;
  JSON.parse(text, (_name, value, { source = '' } = /** @type {{ source?: string }} */ ({})) => {
    if (typeof value !== 'number' || value === 0) return value;
    const isRounded = /^-?\d+$/.test(source) && digitsOf(source) !== digitsOf(String(value));
    if (isRounded || !Number.isFinite(value)) found ??= source;
    return value;
  });
  return found;
}

/** The significant digits of a whole number. @param {string} written `-1200`, `1.2e+21` */
function digitsOf(written) {
  return written.replace(/e.*/, '').replace('.', '').replace(/0+$/, '');
}

/** @param {string} message `must be …` */
function sentence(message) {
  return message.charAt(0).toUpperCase() + message.slice(1);
}

/** The non-empty lines of a text area. @param {string} text */
export function linesOf(text) {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}
