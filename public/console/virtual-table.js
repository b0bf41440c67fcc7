import { html } from 'htm/preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Icon } from '../shared/icon.js';
import { stackColumns, useStacking } from '../shared/stacked-columns.js';
import { classOf } from '../shared/table.js';
import { useMedia } from '../shared/use-media.js';
import { nextSort } from './sorting.js';

/**
 * Row heights, in rem: of one line, and of each line of details, which rows have when the columns are stacked. No content
 * may be higher.
 */
const lineRem = 2.75;
const detailLineRem = 1.75;
/** The size of the text that is set in the browser, in pixels. */
const remPx = () => Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
/** The maximum number of details in one line; with more there are two lines. On the narrowest screens each has its own. */
const detailsPerLine = 2;
/** Rows rendered before and after the visible ones. */
const overscan = 12;
/** More rows are requested when fewer than this many are left below. */
const prefetchRows = 60;
/** The rendered window moves in steps of this many rows. */
const step = 8;

/**
 * @template Row
 * @typedef {{
 *   title: string,
 *   cell: (row: Row) => import('preact').ComponentChildren,
 *   value?: (row: Row) => string | number | boolean | null,
 *   number?: boolean,
 *   hidden?: boolean,
 *   wide?: boolean,
 *   exportOnly?: boolean,
 *   narrow?: 'main' | 'column' | 'bare' | 'omit',
 * }} Column `value` is the exported value; without one the column is not exported. `hidden`: the title is for
 *   screen readers only. `wide`: takes the remaining width. `narrow`: see stacked-columns.js
 */

/**
 * A virtualized table: only the visible rows are in the document.
 * @template Row
 * @param {{
 *   caption: string,
 *   columns: readonly Column<Row>[],
 *   rows: readonly Row[],
 *   keyOf: (row: Row) => string,
 *   total?: number | undefined,
 *   onEnd?: (() => void) | undefined,
 *   onScrolled?: (top: boolean) => void,
 *   sort?: import('./sorting.js').Sort | null,
 *   onSort?: (sort: import('./sorting.js').Sort | null) => void,
 * }} props `onEnd` is called when the end is near; `onScrolled` is called with whether the table is scrolled to the
 *   top; with `onSort`, the titles of columns with a value are buttons
 */
export function VirtualTable({
  caption,
  columns: all,
  rows,
  keyOf,
  total,
  onEnd,
  onScrolled,
  sort = null,
  onSort,
}) {
  const shown = all.filter(({ exportOnly }) => !exportOnly);
  const { columns, details } = useStacking() ? stackColumns(shown) : { columns: shown, details: 0 };
  const isNarrowest = useMedia('(width < 24rem)');
  const detailLines = isNarrowest ? details : Math.min(2, Math.ceil(details / detailsPerLine));
  const [textPx] = useState(remPx);
  const rowPx = (lineRem + detailLines * detailLineRem) * textPx;
  const scroller = useRef(/** @type {HTMLDivElement | null} */ (null));
  const [first, setFirst] = useState(0);
  const [visibleRows, setVisibleRows] = useState(20);
  const measure = () => {
    const element = scroller.current;
    if (element === null) return;
    const top = Math.floor(element.scrollTop / rowPx);
    setFirst(Math.floor(top / step) * step);
    setVisibleRows(Math.ceil(element.clientHeight / rowPx) + step);
    onScrolled?.(element.scrollTop < rowPx / 2);
    if (top + element.clientHeight / rowPx > rows.length - prefetchRows) onEnd?.();
  };
  // The observer lives as long as the table: it must call the latest closure.
  const measureRef = useRef(measure);
  measureRef.current = measure;
  useEffect(measure, [rows.length, rowPx]);
  useEffect(() => {
    const element = scroller.current;
    if (element === null) return;
    const fit = new ResizeObserver(() => measureRef.current());
    fit.observe(element);
    return () => fit.disconnect();
  }, []);

  const from = Math.max(0, Math.min(first, rows.length - 1) - overscan);
  const to = Math.min(rows.length, first + visibleRows + overscan);
  return html`
    <div class="table-scroll virtual" style=${{ '--row': `${rowPx}px` }} tabindex="0" role="region" aria-label=${caption} ref=${scroller} onScroll=${measure}>
      <table class="table" aria-rowcount=${(total ?? rows.length) + 1}>
        <caption class="visually-hidden">${caption}</caption>
        <thead>
          <tr aria-rowindex="1">
            ${columns.map(
              ({ title, number, hidden, wide, value }) => html`
                <th key=${title} scope="col" class=${classOf({ number, wide })} aria-sort=${onSort && sort?.title === title ? (sort.descending ? 'descending' : 'ascending') : undefined}>
                  ${
                    hidden
                      ? html`<span class="visually-hidden">${title}</span>`
                      : onSort && value
                        ? html`<button type="button" class="sort" onClick=${() => onSort(nextSort(sort, title))}>${title}${sort?.title === title && html`<${Icon} name=${sort.descending ? 'chevronDown' : 'chevronUp'} />`}</button>`
                        : title
                  }
                </th>
              `,
            )}
          </tr>
        </thead>
        <tbody>
          <${Spacer} key="before" rows=${from} rowPx=${rowPx} columns=${columns.length} />
          ${rows.slice(from, to).map(
            (row, index) => html`
              <tr key=${keyOf(row)} aria-rowindex=${from + index + 2}>
                ${columns.map(
                  ({ title, cell, number, wide }) =>
                    html`<td key=${title} class=${classOf({ number, wide })}>${cell(row)}</td>`,
                )}
              </tr>
            `,
          )}
          <${Spacer} key="after" rows=${rows.length - to} rowPx=${rowPx} columns=${columns.length} />
        </tbody>
      </table>
    </div>
  `;
}

/**
 * A placeholder for rows that are not rendered.
 * @param {{ rows: number, rowPx: number, columns: number }} props
 */
function Spacer({ rows, rowPx, columns }) {
  if (rows <= 0) return null;
  return html`<tr class="spacer" aria-hidden="true"><td colspan=${columns} style=${{ height: `${rows * rowPx}px` }}></td></tr>`;
}
