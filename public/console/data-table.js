import { html } from 'htm/preact';
import { Button } from '../shared/button.js';
import { Icon } from '../shared/icon.js';
import { Empty, ErrorState, LoadingRows } from '../shared/states.js';
import { ExportButtons } from './export-buttons.js';
import { asCount } from './numbers.js';
import { VirtualTable } from './virtual-table.js';

/**
 * A paged list of the server's as a table that loads more rows on scrolling, with its filters and its export as
 * a file.
 * @template Row
 * @param {{
 *   caption: string,
 *   columns: readonly import('./virtual-table.js').Column<Row>[],
 *   pages: import('./queries.js').Pages<Row>,
 *   keyOf: (row: Row) => string,
 *   fileName: string,
 *   children?: import('preact').ComponentChildren,
 *   empty?: import('preact').ComponentChildren,
 * }} props `children` are the filters; `fileName` is without its ending
 */
export function DataTable({ caption, columns, pages, keyOf, fileName, children, empty }) {
  const { rows, total, complete, loading, error, loadMore, reload } = pages;
  return html`
    <div class="card table-card">
      <div class="table-tools">
        <div class="filters">${children}</div>
        <span class="quiet small numeric" role="status">${countOf(rows?.length, total, complete)}</span>
        <${Button} kind="plain" size="small" iconOnly label="Refresh" busy=${loading && rows !== undefined} onClick=${reload}><${Icon} name="refresh" /><//>
        <${ExportButtons} columns=${columns} pages=${pages} fileName=${fileName} />
      </div>
      ${
        rows === undefined
          ? error !== null
            ? html`<${ErrorState} error=${error} onRetry=${reload} />`
            : html`<${LoadingRows} label=${caption} />`
          : rows.length === 0
            ? (empty ?? html`<${Empty} title="Nothing here yet" />`)
            : html`
                ${error !== null && html`<p class="banner bad" role="alert">Could not load more rows. <button type="button" class="link" onClick=${() => loadMore().catch(() => {})}>Retry</button></p>`}
                <${VirtualTable}
                  caption=${caption}
                  columns=${columns}
                  rows=${rows}
                  keyOf=${keyOf}
                  total=${total}
                  onEnd=${complete || loading || error !== null ? undefined : () => loadMore().catch(() => {})}
                />
              `
      }
    </div>
  `;
}

/**
 * @param {number | undefined} loaded
 * @param {number | undefined} total
 * @param {boolean} complete
 */
function countOf(loaded, total, complete) {
  if (loaded === undefined) return '';
  if (complete || total === loaded) return `${asCount(loaded)} ${loaded === 1 ? 'row' : 'rows'}`;
  return total === undefined
    ? `${asCount(loaded)} rows loaded`
    : `${asCount(loaded)} of ${asCount(total)} rows`;
}
