import { html } from 'htm/preact';
import { useState } from 'preact/hooks';
import { Button } from '../shared/button.js';
import { Icon } from '../shared/icon.js';
import { messageOf } from '../shared/states.js';
import { toast } from '../shared/toasts.js';
import { asCount } from './numbers.js';

/** The maximum number of rows in an export, which are all held in memory. */
const maxRows = 200_000;

/**
 * Exports a whole list as CSV or JSON, as far as its table shows it; the pages not loaded yet are loaded first.
 * @template Row
 * @param {{
 *   columns: readonly import('./virtual-table.js').Column<Row>[],
 *   pages: Pick<import('./queries.js').Pages<Row>, 'rows' | 'total' | 'complete' | 'loadMore'>,
 *   fileName: string,
 *   arranged?: (rows: readonly Row[]) => readonly Row[],
 * }} props `arranged`: filters and sorts the rows as the table does
 */
export function ExportButtons({ columns, pages, fileName, arranged = (rows) => rows }) {
  const [progress, setProgress] = useState('');
  const { rows, total, complete } = pages;
  /** @param {'csv' | 'json'} kind */
  const exportAs = async (kind) => {
    try {
      let all = rows ?? [];
      let hasAll = complete;
      while (!hasAll && all.length < maxRows) {
        setProgress(`${asCount(all.length)}${total === undefined ? '' : ` of ${asCount(total)}`}`);
        const more = await pages.loadMore();
        hasAll = more.complete;
        all = more.rows;
      }
      const exported = arranged(all);
      // Without a byte order mark, Excel reads CSV files in the code page of the system.
      const text =
        kind === 'csv' ? `\uFEFF${csvOf(columns, exported)}` : `${JSON.stringify(exported, null, 2)}\n`;
      save(`${fileName}.${kind}`, text, kind === 'csv' ? 'text/csv' : 'application/json');
      const of = hasAll ? '' : ` of the first ${asCount(all.length)}`;
      toast(
        `Saved ${asCount(exported.length)}${of} ${exported.length === 1 ? 'row' : 'rows'} as ${fileName}.${kind}`,
        'success',
      );
    } catch (error) {
      toast(`Export failed: ${messageOf(error)}`, 'error');
    }
    setProgress('');
  };
  const disabled = !rows || rows.length === 0 || progress !== '';
  return html`
    <span class="exports" role="group" aria-label="Export">
      ${progress && html`<span class="small quiet numeric" role="status"><span class="spinner inline"></span> ${progress}</span>`}
      <${Button} size="small" disabled=${disabled} aria-label="Export as CSV" onClick=${() => exportAs('csv')}><${Icon} name="download" />CSV<//>
      <${Button} size="small" disabled=${disabled} aria-label="Export as JSON" onClick=${() => exportAs('json')}><${Icon} name="download" />JSON<//>
    </span>
  `;
}

/**
 * Formats rows as CSV (RFC 4180).
 * @template Row
 * @param {readonly import('./virtual-table.js').Column<Row>[]} columns
 * @param {readonly Row[]} rows
 */
function csvOf(columns, rows) {
  const exported = columns.flatMap(({ title, value }) => (value ? { title, value } : []));
  const lines = [
    exported.map(({ title }) => quoted(title)),
    ...rows.map((row) => exported.map(({ value }) => quoted(value(row)))),
  ];
  return `${lines.map((line) => line.join(',')).join('\r\n')}\r\n`;
}

/**
 * Spreadsheets evaluate text that begins like a formula, and players choose their names: such text
 * is prefixed with an apostrophe, as OWASP advises ("CSV Injection").
 * @param {string | number | boolean | null} value
 */
function quoted(value) {
  if (typeof value !== 'string') return value === null ? '' : String(value);
  const escaped = /^[=+\-@＝＋－＠\t\r\n]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(escaped) ? `"${escaped.replaceAll('"', '""')}"` : escaped;
}

/**
 * Saves a text as a file.
 * @param {string} name
 * @param {string} text
 * @param {string} type
 */
export function save(name, text, type) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type: `${type};charset=utf-8` }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
