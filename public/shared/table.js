import { html } from 'htm/preact';
import { stackColumns, useStacking } from './stacked-columns.js';
import { Empty, ErrorState, LoadingRows } from './states.js';

/**
 * @template Row
 * @typedef {{
 *   title: string,
 *   cell: (row: Row) => import('preact').ComponentChildren,
 *   number?: boolean,
 *   hidden?: boolean,
 *   wide?: boolean,
 *   narrow?: 'main' | 'column' | 'bare' | 'omit',
 * }} Column `hidden`: the title is for screen readers only. `wide`: takes the remaining width. `narrow`: see
 *   stacked-columns.js
 */

/**
 * A table, or its loading (`rows` undefined), error or empty state.
 * @template Row
 * @param {{
 *   caption: string,
 *   columns: readonly Column<Row>[],
 *   rows: readonly Row[] | undefined,
 *   keyOf: (row: Row) => string,
 *   error?: unknown,
 *   onRetry?: () => void,
 *   empty?: import('preact').ComponentChildren,
 * }} props `caption` is for screen readers
 */
export function Table({ caption, columns: all, rows, keyOf, error, onRetry, empty }) {
  const columns = useStacking() ? stackColumns(all).columns : all;
  if (error !== undefined && error !== null) return html`<${ErrorState} error=${error} onRetry=${onRetry} />`;
  if (rows === undefined) return html`<${LoadingRows} label=${caption} />`;
  if (rows.length === 0) return empty ?? html`<${Empty} title="Nothing here yet" />`;
  return html`
    <div class="table-scroll" tabindex="0" role="region" aria-label=${caption}>
      <table class="table">
        <caption class="visually-hidden">${caption}</caption>
        <thead>
          <tr>
            ${columns.map(
              ({ title, number, hidden, wide }) => html`
                <th key=${title} scope="col" class=${classOf({ number, wide })}>
                  ${hidden ? html`<span class="visually-hidden">${title}</span>` : title}
                </th>
              `,
            )}
          </tr>
        </thead>
        <tbody>
          ${rows.map(
            (row) => html`
              <tr key=${keyOf(row)}>
                ${columns.map(
                  ({ title, cell, number, wide }) =>
                    html`<td key=${title} class=${classOf({ number, wide })}>${cell(row)}</td>`,
                )}
              </tr>
            `,
          )}
        </tbody>
      </table>
    </div>
  `;
}

/** @param {{ number?: boolean | undefined, wide?: boolean | undefined }} column */
export function classOf({ number, wide }) {
  return [number && 'number', wide && 'wide-column'].filter(Boolean).join(' ') || undefined;
}
