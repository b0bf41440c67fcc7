import { html } from 'htm/preact';

/** @typedef {import('./schema.js').FieldGroup} FieldGroup */

/** Forms of an object, such as the actions of a rule, are folded from this number on. */
const foldedFrom = 2;

/**
 * The fields of a body or an answer, those of inner objects below the field that has them.
 * @param {{ groups: readonly FieldGroup[], isInput?: boolean }} props fields of an input are marked when required, those
 *   of an answer when optional
 */
export function Fields({ groups, isInput = false }) {
  return groups.map(({ title, fields }) => {
    const list = html`<ul class="plain-list fields">
      ${fields.map(
        ({ name, type, limits, description, isRequired, groups: inner }) => html`
          <li key=${name}>
            <div>
              <code class="field-name">${name}</code>${' '}
              ${isInput ? isRequired && html`<strong class="required small">required</strong> ` : !isRequired && html`<em class="quiet small">optional</em> `}
              <span class="field-type small">${type}</span>
              ${limits.map((limit) => html`<span class="quiet small">${' · '}${limit}</span>`)}
            </div>
            ${description && html`<p class="small"><${Prose} text=${description} /></p>`}
            ${inner.length > 0 && html`<${Fields} groups=${inner} isInput=${isInput} />`}
          </li>
        `,
      )}
    </ul>`;
    if (title === '') return list;
    return groups.length < foldedFrom
      ? list
      : html`<details class="field-form"><summary><code>${title}</code></summary>${list}</details>`;
  });
}

/**
 * A description of the declarations, in which names stand in backticks.
 * @param {{ text: string }} props
 */
export function Prose({ text }) {
  return text
    .split('`')
    .map((part, index) => (index % 2 === 1 ? html`<code key=${index}>${part}</code>` : part));
}
