import { html } from 'htm/preact';
import { useMedia } from './use-media.js';

/**
 * @template Row
 * @typedef {{
 *   title: string,
 *   cell: (row: Row) => import('preact').ComponentChildren,
 *   hidden?: boolean,
 *   wide?: boolean,
 *   number?: boolean,
 *   narrow?: 'main' | 'column' | 'bare' | 'omit',
 * }} StackedColumn what stacking knows of a column. `narrow` is what becomes of it on a small screen: the `main` one has the
 *   others below it, the `bare` ones without their titles, save those that stay a `column`; `omit`: what it tells is told
 *   elsewhere, or too long
 */

/** Whether the screen is too narrow for all columns of a table side by side. */
export function useStacking() {
  return useMedia('(width < 40rem)');
}

/**
 * The columns of a table on a small screen, none of which is beyond its edge: the main one, the wide or else the first,
 * with the others as labelled lines below it; the row's actions stay beside it.
 * @template {StackedColumn<any>} Column
 * @param {readonly Column[]} columns
 * @returns {{ columns: readonly Column[], details: number }} `details`: how many are below the main one
 */
export function stackColumns(columns) {
  const isText = (/** @type {Column} */ { hidden, number, narrow }) =>
    !hidden && !number && narrow !== 'omit';
  const main =
    columns.find(({ narrow }) => narrow === 'main') ??
    columns.find((column) => column.wide && isText(column)) ??
    columns.find(isText);
  const below = columns.filter(
    (column) =>
      column !== main && !column.hidden && (column.narrow === undefined || column.narrow === 'bare'),
  );
  if (main === undefined || below.length === 0) return { columns, details: 0 };
  const stacked = {
    ...main,
    wide: true,
    cell: (/** @type {any} */ row) => html`
      <div class="stacked-main">${main.cell(row)}</div>
      <div class="stacked-details">
        ${below.map(({ title, narrow, cell }) => html`<span key=${title}><span class=${narrow === 'bare' ? 'visually-hidden' : 'quiet'}>${title}</span> ${cell(row)}</span>`)}
      </div>
    `,
  };
  const stay = columns.filter((column) => column === main || column.hidden || column.narrow === 'column');
  return {
    columns: stay.map((column) => (column === main ? stacked : column)),
    details: below.length,
  };
}
