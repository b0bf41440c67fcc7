import { html } from 'htm/preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { Button } from '../../shared/button.js';
import { useAction } from './use-action.js';

/** @typedef {import('../stored-session.js').StoredStatus} Status */

/** @type {readonly (readonly [status: Status['status'], label: string])[]} */
const statuses = [
  ['online', 'Online'],
  ['away', 'Away'],
  ['busy', 'Busy'],
  ['invisible', 'Appear offline'],
];
const maxTextLength = 100;

/**
 * The status that friends see.
 * @param {{ launcher: import('../launcher.js').Launcher }} props
 */
export function StatusForm({ launcher }) {
  const { status: current } = launcher;
  const id = useId();
  const [text, setText] = useState(current.text);
  const before = useRef(current.text);
  useEffect(() => {
    const last = before.current;
    before.current = current.text;
    setText((typed) => (typed === last ? current.text : typed)); // chosen on another device, perhaps while typing here
  }, [current.text]);
  const { busy, problem, run } = useAction();
  /** @param {Partial<Status>} changes */
  const set = (changes) => run('set', () => launcher.setStatus(changes));
  return html`
    <div class="field">
      <label for=${id}>Status</label>
      <select
        id=${id}
        class="input"
        onChange=${(/** @type {Event} */ event) => set({ status: /** @type {Status['status']} */ (/** @type {HTMLSelectElement} */ (event.currentTarget).value) })}
      >
        ${statuses.map(([value, label]) => html`<option key=${value} value=${value} selected=${value === current.status}>${label}</option>`)}
      </select>
      <form
        class="field-row"
        onSubmit=${(/** @type {Event} */ event) => {
          event.preventDefault();
          set({ text: text.trim() });
        }}
      >
        <input
          class="input"
          type="text"
          maxlength=${maxTextLength}
          aria-label="Message to friends"
          placeholder="What are you up to?"
          autocomplete="off"
          value=${text}
          onInput=${(/** @type {Event} */ event) => setText(/** @type {HTMLInputElement} */ (event.currentTarget).value)}
        />
        <${Button} type="submit" busy=${busy === 'set'} disabled=${text.trim() === current.text}>Set<//>
      </form>
      ${problem ? html`<p class="problem" role="alert">${problem}</p>` : html`<p class="hint">${current.status === 'invisible' ? 'Friends see you as offline.' : 'Friends see it.'}</p>`}
    </div>
  `;
}
