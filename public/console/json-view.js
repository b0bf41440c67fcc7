import { html } from 'htm/preact';
import { useMemo, useState } from 'preact/hooks';
import { CopyButton } from '../shared/copy-button.js';

/** How many entries of an array or object are rendered before "Show more". */
const entriesPerPage = 100;
/** Longer strings are truncated until expanded. */
const maxStringLength = 500;

/**
 * A JSON value as a collapsible tree. Only expanded branches are rendered, so that a value of a megabyte is shown as
 * fast as a small one.
 * @param {{ value: unknown, label: string }} props
 */
export function JsonView({ value, label }) {
  const text = useMemo(() => JSON.stringify(value, null, 2), [value]);
  return html`
    <div class="json" role="group" aria-label=${label}>
      <div class="json-copy"><${CopyButton} text=${text} label="Copy JSON" /></div>
      <${Node} value=${value} depth=${0} />
    </div>
  `;
}

/** @param {{ name?: string, value: unknown, depth: number }} props */
function Node({ name, value, depth }) {
  const [open, setOpen] = useState(depth < 2);
  const [shown, setShown] = useState(entriesPerPage);
  const key = name !== undefined && html`<span class="json-key">${name}</span><span class="quiet">: </span>`;
  if (typeof value !== 'object' || value === null)
    return html`<div class="json-leaf">${key}<${Leaf} value=${value} /></div>`;
  const entries = Object.entries(value);
  const [begin, end] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  if (entries.length === 0)
    return html`<div class="json-leaf">${key}<span class="quiet">${begin}${end}</span></div>`;
  return html`
    <details class="json-branch" open=${open} onToggle=${(/** @type {Event} */ event) => setOpen(/** @type {HTMLDetailsElement} */ (event.currentTarget).open)}>
      <summary>${key}<span class="quiet">${begin}${open ? '' : `…${end}`} ${entries.length} ${entries.length === 1 ? 'entry' : 'entries'}</span></summary>
      ${
        open &&
        html`
          <div class="json-inside">
            ${entries.slice(0, shown).map(([child, inner]) => html`<${Node} key=${child} name=${child} value=${inner} depth=${depth + 1} />`)}
            ${
              entries.length > shown &&
              html`<button type="button" class="link" onClick=${() => setShown(shown + 10 * entriesPerPage)}>Show more (${entries.length - shown} remaining)</button>`
            }
          </div>
          <span class="quiet">${end}</span>
        `
      }
    </details>
  `;
}

/** @param {{ value: unknown }} props */
function Leaf({ value }) {
  const [expanded, setExpanded] = useState(false);
  if (typeof value !== 'string')
    return html`<span class="json-${value === null ? 'null' : typeof value}">${String(value)}</span>`;
  const cut = !expanded && value.length > maxStringLength;
  return html`
    <span class="json-string">${JSON.stringify(cut ? value.slice(0, maxStringLength) : value)}</span>
    ${cut && html`<button type="button" class="link" onClick=${() => setExpanded(true)}>… ${value.length - maxStringLength} more characters</button>`}
  `;
}
