import { html } from 'htm/preact';
import { useState } from 'preact/hooks';
import { Button } from '../shared/button.js';
import { Dialog } from '../shared/dialog.js';
import { Empty } from '../shared/states.js';
import { useAdmin } from './admin.js';
import { isoTime, TimeCell } from './cells.js';
import { DataTable } from './data-table.js';
import { JsonView } from './json-view.js';
import { usePages } from './queries.js';

/** @typedef {import('./admin.js').Output<'listAuditLog'>['data'][number]} Entry */

/** The operations that administrators carried out. */
export function AuditLog() {
  const admin = useAdmin();
  const [shown, setShown] = useState(/** @type {Entry | null} */ (null));
  const pages = usePages(
    (page) => admin.call('listAuditLog', page),
    (/** @type {Entry} */ { id }) => id,
    [],
  );
  /** @type {import('./virtual-table.js').Column<Entry>[]} */
  const columns = [
    {
      title: 'Time',
      narrow: 'bare',
      cell: ({ at }) => html`<${TimeCell} at=${at} />`,
      value: ({ at }) => isoTime(at),
    },
    {
      title: 'Actor',
      narrow: 'bare',
      cell: ({ actor }) => html`<span class="truncate">${actorName(actor)}</span>`,
      value: ({ actor }) => actorName(actor),
    },
    {
      title: 'Operation',
      narrow: 'main',
      cell: ({ operation }) => html`<strong>${operation}</strong>`,
      value: ({ operation }) => operation,
    },
    {
      title: 'Input',
      narrow: 'omit',
      wide: true,
      cell: ({ input }) => html`<code class="truncate quiet">${JSON.stringify(input)}</code>`,
      value: ({ input }) => JSON.stringify(input),
    },
    {
      title: 'Outcome',
      narrow: 'bare',
      cell: ({ outcome }) => html`<${Outcome} outcome=${outcome} />`,
      value: ({ outcome }) => outcome,
    },
    {
      title: 'Show',
      hidden: true,
      cell: (entry) =>
        html`<${Button} size="small" aria-label="Show ${entry.operation}" onClick=${() => setShown(entry)}>Show<//>`,
    },
  ];
  return html`
    <${DataTable}
      caption="Audit log"
      columns=${columns}
      pages=${pages}
      keyOf=${(/** @type {Entry} */ { id }) => id}
      fileName="audit-log"
      filter="Filter by text"
      empty=${html`<${Empty} icon="shield" title="No entries yet" />`}
    />
    ${
      shown &&
      html`
        <${Dialog} title=${shown.operation} onClose=${() => setShown(null)} actions=${html`<${Button} onClick=${() => setShown(null)}>Close<//>`}>
          <dl class="facts">
            <div><dt>Time</dt><dd><${TimeCell} at=${shown.at} /></dd></div>
            <div><dt>Actor</dt><dd class="wrap">${actorName(shown.actor)}</dd></div>
            <div><dt>Outcome</dt><dd><${Outcome} outcome=${shown.outcome} /></dd></div>
          </dl>
          <h3>Input</h3>
          <${JsonView} value=${shown.input} label="Input" />
        <//>
      `
    }
  `;
}

/** The name shown for the actor of an entry. @param {string} actor */
export function actorName(actor) {
  if (actor === 'cli') return 'command line';
  return actor === 'admin-token' ? 'admin token' : actor;
}

/** @param {{ outcome: string | null }} props */
function Outcome({ outcome }) {
  if (outcome === null) return html`<span class="badge warn">unknown</span>`;
  return html`<span class="badge ${outcome === 'ok' ? 'good' : 'bad'}">${outcome}</span>`;
}
