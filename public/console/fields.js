import { html } from 'htm/preact';
import { useId } from 'preact/hooks';
import { messageOf } from '../shared/states.js';

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

/**
 * The error of a rejected call for one field, or for a field nested in it.
 * @param {unknown} error
 * @param {string} path
 * @returns {string | undefined}
 */
export function problemAt(error, path) {
  if (!(error instanceof Error) || !('errors' in error) || !Array.isArray(error.errors)) return undefined;
  const found = error.errors.find((one) => one.path === path || one.path.startsWith(`${path}.`));
  return found?.message;
}

/**
 * Why a form was not accepted; what is said at its fields is not repeated.
 * @param {{ error: unknown }} props
 */
export function FormProblem({ error }) {
  if (error === null) return null;
  const isAtFields =
    error instanceof Error && 'errors' in error && Array.isArray(error.errors) && error.errors.length > 0;
  return html`<p class="banner bad" role="alert">${isAtFields ? 'Correct the marked fields.' : messageOf(error)}</p>`;
}

/** The non-empty lines of a text area. @param {string} text */
export function linesOf(text) {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}
