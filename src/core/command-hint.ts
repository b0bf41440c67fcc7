import { resolve } from 'node:path';

/**
 * A command as a person runs it on the same data, from the same directory. `dataDirectory` is absolute; null: the database
 * of `DATABASE_URL`, which holds a password and is not shown.
 */
export function commandOn(dataDirectory: string | null, command: string): string {
  return `${environmentOf(dataDirectory)}${command}`;
}

function environmentOf(dataDirectory: string | null): string {
  if (dataDirectory === null) return 'DATABASE_URL=… ';
  return dataDirectory === resolve('data') ? '' : `DATA_DIR=${shellQuote(dataDirectory)} `;
}

/** Quotes a text as one shell word. */
export function shellQuote(text: string): string {
  return /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
