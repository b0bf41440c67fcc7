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
 * }} StackedColumn `narrow` says how a column is shown on a small screen: the others are stacked below the `main` one,
 *   `bare` ones without their titles; a `column` stays a column; `omit` hides one that is redundant or too long
 */

/** Whether the screen is too narrow for all columns of a table side by side. */
export function useStacking() {
  return useMedia('(width < 40rem)');
}

/**
 * The columns of a table on a small screen, so that it never scrolls sideways: the main column (by default the wide
 * one, else the first) with the others as labelled lines below it; a row's actions stay beside it.
 * @template {StackedColumn<any>} Column
 * @param {readonly Column[]} columns
 * @returns {{ columns: readonly Column[], details: number }} `details`: how many columns are stacked below the main one
 */
export function stackColumns(columns) {
  const isText = (/** @type {Column} */ { hidden, number, narrow }) =>
    !hidden && !number && narrow !== 'omit';
  const main =
    columns.find(({ narrow }) => narrow === 'main') ??
    columns.find((column) => column.wide && isText(column)) ??
    columns.find(isText);
  const stackedBelow = columns.filter(
    (column) =>
      column !== main && !column.hidden && (column.narrow === undefined || column.narrow === 'bare'),
  );
  if (main === undefined || stackedBelow.length === 0) return { columns, details: 0 };
  const stacked = {
    ...main,
    wide: true,
    cell: (/** @type {any} */ row) => html`
      <div class="stacked-main">${main.cell(row)}</div>
      <div class="stacked-details">
        ${stackedBelow.map(({ title, narrow, cell }) => html`<span key=${title}><span class=${narrow === 'bare' ? 'visually-hidden' : 'quiet'}>${title}</span> ${cell(row)}</span>`)}
      </div>
    `,
  };
  const remaining = columns.filter(
    (column) => column === main || column.hidden || column.narrow === 'column',
  );
  return {
    columns: remaining.map((column) => (column === main ? stacked : column)),
    details: stackedBelow.length,
  };
}
