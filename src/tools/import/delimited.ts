import { linesOf } from '../../server/backup/game-file.ts';
import { forNdjson, noneRead, notUtf8 } from './lines.ts';
import type { Findings, Place } from './source.ts';

/** The longest row, in characters: a state of 1 MB, with every quote doubled. */
const maxRowLength = 4 * 1024 * 1024;

/** A row by its columns' names. */
export interface Row extends Place {
  row: Readonly<Record<string, string>>;
}

/**
 * The rows of a CSV file (RFC 4180: fields in quotes may contain commas, doubled quotes and line ends) whose first row has
 * the columns' names, or of a TSV file, which has no quotes. A broken row is reported, and the next line begins a new one; a
 * file without a needed column is reported once.
 */
export function* rowsOf(file: string, findings: Findings, needed: readonly string[] = []): Iterable<Row> {
  const isTabbed = /\.tsv$/i.test(file);
  let names: string[] | undefined;
  for (const { text, line } of recordsOf(file, isTabbed, findings)) {
    if (text === '') continue;
    const fields = isTabbed ? text.split('\t') : fieldsOf(text);
    if (!names) {
      names = fields;
      const reason = reasonAgainst(text, names, isTabbed) ?? lacking(names, needed);
      if (reason === undefined) continue;
      findings.refuse({ file, line }, `${reason}; ${noneRead}`);
      return;
    }
    if (fields.length === names.length) {
      yield { row: Object.fromEntries(names.map((name, at) => [name, fields[at] ?? ''])), file, line };
    } else findings.refuse({ file, line }, `has ${fields.length} columns instead of ${names.length}`);
  }
}

/** Why a file with this first row cannot be read; undefined if it can. */
function reasonAgainst(text: string, names: readonly string[], isTabbed: boolean): string | undefined {
  if (text.includes('\0')) return notUtf8;
  const format = isTabbed ? 'TSV' : 'CSV';
  if (/^\s*[[{]/.test(text)) return `is JSON instead of ${format}: ${forNdjson}`;
  // Otherwise the whole file would be its first row, which is followed by none.
  if (text.includes('\r'))
    return 'has line ends that are only a carriage return: save the file with line feeds';
  if (names.length === 1 && /[,;\t]/.test(text))
    return `is not ${format}: separate the columns by ${isTabbed ? 'tabs' : 'commas'}`;
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  return twice === undefined ? undefined : `has two columns named ${JSON.stringify(twice)}`;
}

function lacking(names: readonly string[], needed: readonly string[]): string | undefined {
  const missing = needed.filter((name) => !names.includes(name));
  if (missing.length === 0) return undefined;
  return `has no column ${missing.map((name) => JSON.stringify(name)).join(', and no column ')}`;
}

/** The text of each row, and the line in which it begins. */
function* recordsOf(
  file: string,
  isTabbed: boolean,
  findings: Findings,
): Iterable<{ text: string; line: number }> {
  let line = 0;
  let open: { text: string; line: number } | undefined;
  for (const raw of linesOf(file)) {
    line++;
    if (raw === undefined) {
      findings.refuse({ file, line: open?.line ?? line }, notUtf8);
      if (line === 1) return; // which names the columns
      open = undefined;
    } else if (isTabbed) yield { text: withoutReturn(raw), line };
    else {
      const hasOddQuotes = quotesIn(raw) % 2 === 1;
      if (open) open.text += `\n${raw}`;
      else if (hasOddQuotes) open = { text: raw, line };
      else yield { text: withoutReturn(raw), line };
      if (open && open.line !== line && hasOddQuotes) {
        yield { text: withoutReturn(open.text), line: open.line };
        open = undefined;
      } else if (open && open.text.length > maxRowLength) {
        findings.refuse({ file, line: open.line }, 'has a quote that is not closed, or is too long');
        open = undefined;
      }
    }
  }
  if (open) findings.refuse({ file, line: open.line }, 'has a quote that is not closed');
}

function withoutReturn(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line;
}

function quotesIn(line: string): number {
  let count = 0;
  for (let at = line.indexOf('"'); at !== -1; at = line.indexOf('"', at + 1)) count++;
  return count;
}

function fieldsOf(row: string): string[] {
  const fields: string[] = [];
  for (let at = 0; at <= row.length; ) {
    if (row[at] !== '"') {
      const end = row.indexOf(',', at);
      fields.push(row.slice(at, end === -1 ? row.length : end));
      at = end === -1 ? row.length + 1 : end + 1;
      continue;
    }
    let end = row.indexOf('"', at + 1);
    while (end !== -1 && row[end + 1] === '"') end = row.indexOf('"', end + 2);
    const close = end === -1 ? row.length : end;
    const comma = row.indexOf(',', close);
    // What follows the closing quote should be the comma.
    fields.push(
      row.slice(at + 1, close).replaceAll('""', '"') +
        row.slice(close + 1, comma === -1 ? row.length : comma),
    );
    at = comma === -1 ? row.length + 1 : comma + 1;
  }
  return fields;
}
