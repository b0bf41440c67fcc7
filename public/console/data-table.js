import { html } from 'htm/preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { Button } from '../shared/button.js';
import { Icon } from '../shared/icon.js';
import { useStacking } from '../shared/stacked-columns.js';
import { Empty, ErrorState, LoadingRows } from '../shared/states.js';
import { ExportButtons } from './export-buttons.js';
import { SelectField, TextField } from './fields.js';
import { asCount } from './numbers.js';
import { pageSize } from './queries.js';
import { matching, sorted } from './sorting.js';
import { useDebounced } from './use-debounced.js';
import { VirtualTable } from './virtual-table.js';

/** The maximum number of rows that are loaded for sorting or text filtering. */
const maxArranged = 10_000;
/** How often the newest rows are loaded, if at all. */
const pollIntervalMs = 5_000;

/**
 * A paged list from the server as a table that loads more rows on scrolling, with filters and export to a file.
 * Clicking a column's title sorts it, which first loads all rows, up to `maxArranged`.
 * @template Row
 * @param {{
 *   caption: string,
 *   columns: readonly import('./virtual-table.js').Column<Row>[],
 *   pages: import('./queries.js').Pages<Row>,
 *   keyOf: (row: Row) => string,
 *   fileName: string,
 *   children?: import('preact').ComponentChildren,
 *   empty?: import('preact').ComponentChildren,
 *   filter?: string,
 *   polls?: boolean,
 * }} props `children` are the filters; `fileName` has no extension; `filter` is the label of a text filter over all
 *   columns, for lists that the server does not filter; `polls`: the newest rows are loaded every few seconds
 */
export function DataTable({
  caption,
  columns,
  pages,
  keyOf,
  fileName,
  children,
  empty,
  filter,
  polls = false,
}) {
  const { rows, total, complete, loading, error, isOutdated, loadMore, reload, reloadFirst } = pages;
  const [sort, setSort] = useState(/** @type {import('./sorting.js').Sort | null} */ (null));
  const [text, setText] = useState('');
  const filterText = useDebounced(text.trim());
  const isArranged = sort !== null || filterText !== '';
  const loaded = rows?.length ?? 0;
  const needsMore = isArranged && rows !== undefined && !complete && error === null && loaded < maxArranged;
  useEffect(() => {
    if (needsMore && !loading) loadMore().catch(() => {}); // shown in the table
  }, [needsMore, loading, loaded]);
  const [atTop, setAtTop] = useState(true);
  // Rows must not move while being viewed.
  const mayPoll = polls && !loading && (atTop || loaded === 0) && (!isArranged || loaded <= pageSize);
  useEffect(() => {
    if (!mayPoll) return;
    const timer = setInterval(() => document.visibilityState === 'visible' && reloadFirst(), pollIntervalMs);
    return () => clearInterval(timer);
  }, [mayPoll]);
  /** @param {readonly Row[]} loadedRows */
  const arranged = (loadedRows) => {
    const found = filterText === '' ? loadedRows : matching(loadedRows, columns, filterText);
    return sort === null ? found : sorted(found, columns, sort);
  };
  const shown = useMemo(() => rows && arranged(rows), [rows, sort, filterText]);
  const isStacked = useStacking();
  const sortable = columns.filter(({ value, exportOnly }) => value && !exportOnly);
  return html`
    <div class="card table-card">
      <div class="table-tools">
        <div class="filters">
          ${children}
          ${filter && html`<${TextField} label=${filter} hideLabel type="search" placeholder=${filter} maxlength=${200} value=${text} onValue=${setText} />`}
          ${isStacked && sortable.length > 1 && html`<${SortField} columns=${sortable} sort=${sort} onSort=${setSort} />`}
        </div>
        <span class="quiet small numeric" role="status">${needsMore && html`<span class="spinner inline"></span> `}${countOf(loaded, total, complete, rows === undefined)}${filterText && shown ? `, ${asCount(shown.length)} match` : ''}</span>
        <${Button} kind="plain" size="small" iconOnly label="Refresh" busy=${loading && rows !== undefined} onClick=${reload}><${Icon} name="refresh" /><//>
        <${ExportButtons} columns=${columns} pages=${pages} arranged=${arranged} fileName=${fileName} />
      </div>
      ${
        rows === undefined
          ? error !== null
            ? html`<${ErrorState} error=${error} onRetry=${reload} />`
            : html`<${LoadingRows} label=${caption} />`
          : rows.length === 0
            ? (empty ?? html`<${Empty} title="Nothing here yet" />`)
            : shown?.length === 0 && !needsMore
              ? html`<${Empty} title="No matching rows" />`
              : html`
                ${isArranged && !complete && !needsMore && error === null && html`<p class="banner warn">Only the first ${asCount(loaded)} rows are ${sort ? 'sorted' : 'searched'}.</p>`}
                ${error !== null && html`<p class="banner bad" role="alert">${isOutdated ? 'Could not load the current rows.' : 'Could not load more rows.'} <button type="button" class="link" onClick=${isOutdated ? reload : () => loadMore().catch(() => {})}>Retry</button></p>`}
                <${VirtualTable}
                  caption=${caption}
                  columns=${columns}
                  rows=${shown}
                  sort=${sort}
                  onSort=${setSort}
                  keyOf=${keyOf}
                  total=${filterText ? shown?.length : total}
                  onScrolled=${setAtTop}
                  onEnd=${complete || loading || error !== null ? undefined : () => loadMore().catch(() => {})}
                />
              `
      }
    </div>
  `;
}

/**
 * Selects the sort order of a table whose column titles are not all on the screen.
 * @param {{
 *   columns: readonly import('./virtual-table.js').Column<any>[],
 *   sort: import('./sorting.js').Sort | null,
 *   onSort: (sort: import('./sorting.js').Sort | null) => void,
 * }} props
 */
function SortField({ columns, sort, onSort }) {
  const options = columns.flatMap(({ title }, index) => [
    [`${index}`, `${title}, ascending`],
    [`${index}-`, `${title}, descending`],
  ]);
  const at = columns.findIndex(({ title }) => title === sort?.title);
  const choose = (/** @type {string} */ value) => {
    const title = columns[Number.parseInt(value, 10)]?.title;
    onSort(title === undefined ? null : { title, descending: value.endsWith('-') });
  };
  return html`<${SelectField} label="Sort" hideLabel value=${sort === null || at === -1 ? '' : `${at}${sort.descending ? '-' : ''}`} onValue=${choose} options=${[['', 'Default order'], ...options]} />`;
}

/**
 * @param {number} loaded
 * @param {number | undefined} total
 * @param {boolean} complete
 * @param {boolean} isFirst nothing is loaded yet
 */
function countOf(loaded, total, complete, isFirst) {
  if (isFirst) return '';
  if (complete || total === loaded) return `${asCount(loaded)} ${loaded === 1 ? 'row' : 'rows'}`;
  return total === undefined
    ? `${asCount(loaded)} rows loaded`
    : `${asCount(loaded)} of ${asCount(total)} rows`;
}
