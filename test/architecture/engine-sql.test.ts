import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { parseAst } from 'vitest/node';
import { events, streams } from '../../src/core/events/tables.ts';
import { tables } from '../../src/server/declarations/tables.ts';

/** A text in an engine's code; in a template, each expression is replaced by `?`. */
interface Text {
  /** `sqlite/reader.ts:12` */
  where: string;
  text: string;
}

const engines = fileURLToPath(new URL('../../src/engines/', import.meta.url));
const texts = globSync('**/*.ts', { cwd: engines })
  .toSorted()
  .flatMap((path) => textsOf(path, readFileSync(join(engines, path), 'utf8')));
/** Migrations create and change the features' tables, which the declarations are compared with (`test/engines`). */
const code = texts.filter(({ where }) => !where.includes('/migrations/'));

const ofCore = [streams, events];
const names = new Set(tables.map(({ name }) => name));
const kinds = new Set<string>(
  [...tables, ...ofCore].flatMap(({ columns }) => columns.map(({ kind }) => kind)),
);
/** Columns of tables that no feature declares: core's, and those that the engines create for themselves. */
const ownColumns = new Set([
  ...ofCore.flatMap(({ columns }) => columns.map(({ sqlName }) => sqlName)),
  ...texts.flatMap(({ text }) => createdColumns(text)),
]);
const columns = new Set(
  tables
    .flatMap((table) => table.columns.map(({ sqlName }) => sqlName))
    .filter((name) => !ownColumns.has(name)),
);

test('the texts of every engine are read, with their SQL', () => {
  const read = code.filter(({ text }) => isSql(text)).map(({ where }) => where.split('/')[0]);
  expect(new Set(read)).toEqual(new Set(['sqlite', 'postgres']));
  expect(read.length).toBeGreaterThan(60);
  expect(names.size).toBeGreaterThan(30);
  expect([...columns]).toEqual(expect.arrayContaining(['sealed_md5', 'next_end_at', 'claimed_until']));
});

test.each([
  ['a table in SQL', `db.prepare('DELETE FROM leaderboards')`],
  ['a table by its name alone', `lastOf('messages')`],
  ['a column in SQL', `db.prepare('SELECT max(next_end_at) FROM boards')`],
])('it is reported that a text names %s of a feature', (_, written) => {
  expect(textsOf('sqlite/example.ts', written).flatMap(namedIn)).toHaveLength(1);
});

test('engines name no table of a feature and hold no SQL of one', () => {
  expect(code.flatMap(namedIn)).toEqual([]);
});

test('statements of SQLite are prepared in one place, which hides their parameters', () => {
  const preparing = globSync('sqlite/**/*.ts', { cwd: engines }).filter((path) =>
    /\.prepare\b/.test(readFileSync(join(engines, path), 'utf8')),
  );
  expect(preparing).toEqual(['sqlite/prepare.ts']);
});

/** Each table and column of a feature that a text names. */
function namedIn({ where, text }: Text): string[] {
  if (names.has(text) && !kinds.has(text)) return [`${where} names ${text}`];
  if (!isSql(text)) return [];
  const used = [...text.matchAll(/\b(?:FROM|JOIN|INTO|UPDATE|TABLE|EXISTS)\s+"?(\w+)/g)].map(
    ([, name = '']) => name,
  );
  const aliases = new Set(
    [...text.matchAll(/\bAS "?(\w+)"?(?:\(([^)]*)\))?/g)].flatMap((found) =>
      wordsIn(found.slice(1).join(' ')),
    ),
  );
  const named = wordsIn(text).filter((word) => columns.has(word) && !aliases.has(word));
  return [...used.filter((name) => names.has(name)), ...named].map((name) => `${where} names ${name}`);
}

function isSql(text: string): boolean {
  return /\b(SELECT|INSERT INTO|UPDATE|DELETE FROM|FROM|JOIN|WHERE|ORDER BY|CREATE TABLE|PRAGMA)\b/.test(
    text,
  );
}

/** The columns of the tables that a text creates, and of those that it adds to any but a feature's. */
function createdColumns(text: string): string[] {
  const created = [
    ...text.matchAll(/CREATE TABLE (?:IF NOT EXISTS )?(\w+) \((.*?)\)(?: STRICT[^;]*)?(?:;|$)/gs),
  ];
  const added = [...text.matchAll(/ALTER TABLE (\w+) ADD COLUMN (\w+)/g)];
  return [...created, ...added]
    .filter(([, name = '']) => !names.has(name))
    .flatMap(([, , body = '']) =>
      [...body.matchAll(/(?:^|,|\()\s*(?:--[^\n]*\s+)*([a-z]\w*)/g)].map(([, column = '']) => column),
    );
}

function wordsIn(text: string): string[] {
  return [...new Set(text.match(/\w+/g))];
}

/** All string literals and templates of a file, except the names of imported files. */
function textsOf(path: string, source: string): Text[] {
  const found: Text[] = [];
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) node.forEach(visit);
    if (!isNode(node) || node.type === 'ImportDeclaration') return;
    const text = textOf(node);
    if (text !== null)
      found.push({ where: `${path}:${source.slice(0, node.start).split('\n').length}`, text });
    Object.values(node).forEach(visit);
  };
  visit(parseAst(source, { lang: 'ts' }));
  return found;
}

interface Node {
  type: string;
  start: number;
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value;
}

function textOf(node: Node): string | null {
  if ('value' in node && node.type === 'Literal') return typeof node.value === 'string' ? node.value : null;
  if (!('quasis' in node && Array.isArray(node.quasis))) return null;
  return node.quasis.map((quasi: { value: { cooked: string } }) => quasi.value.cooked).join(' ? ');
}
