import { html } from 'htm/preact';
import { Icon } from './icon.js';

/**
 * @typedef {{ id: string, label: string, icon?: import('./icon.js').IconName | undefined, count?: number }} Tab `count` is
 *   shown when it is not 0
 */

/**
 * A row of tabs; the arrow keys move between them. The panel of a tab is
 * `<div role="tabpanel" id="panel-<id>" aria-labelledby="tab-<id>">`.
 * @param {{ label: string, tabs: readonly Tab[], selected: string, onSelect: (id: string, isByKey: boolean) => void }} props
 *   `isByKey`: selected in passing, on the way to another tab
 */
export function Tabs({ label, tabs, selected, onSelect }) {
  /** @param {KeyboardEvent} event */
  const move = (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const at = tabs.findIndex(({ id }) => id === selected);
    const to = event.key === 'Home' ? 0 : event.key === 'End' ? tabs.length - 1 : step && at + step;
    const next = to === undefined ? undefined : tabs[(to + tabs.length) % tabs.length];
    if (!next) return;
    event.preventDefault();
    onSelect(next.id, true);
    document.getElementById(`tab-${next.id}`)?.focus();
  };
  return html`
    <div class="tabs" role="tablist" aria-label=${label} onKeyDown=${move}>
      ${tabs.map(
        ({ id, label: name, icon, count = 0 }) => html`
          <button
            key=${id}
            type="button"
            class="tab"
            role="tab"
            id="tab-${id}"
            aria-selected=${id === selected ? 'true' : 'false'}
            aria-controls=${id === selected ? `panel-${id}` : undefined}
            tabindex=${id === selected ? 0 : -1}
            onClick=${() => onSelect(id, false)}
          >
            ${icon && html`<${Icon} name=${icon} />`}
            <span>${name}</span>
            ${
              count > 0 &&
              html`<span class="count"><span aria-hidden="true">${count > 99 ? '99+' : count}</span><span class="visually-hidden">, ${count} new</span></span>`
            }
          </button>
        `,
      )}
    </div>
  `;
}
