import { expect, test } from 'vitest';
import { documents } from './documents.ts';

/** Sections whose tables are measured; in the benchmarks, every section is. */
const measured: Readonly<Record<string, readonly string[]>> = {
  benchmarks: [],
  sizing: ['<a id="nodes"></a>Several nodes'],
  'scaling-out': ['When to use PostgreSQL'],
  sharding: ['Figures'],
};

test('every table of figures follows a paragraph with the date, the commit and the machine of the run', () => {
  const tables = Object.entries(measured).flatMap(([page, headings]) => {
    const sections = (documents.get(`public/docs/${page}.md`) ?? '').split(/^## /m);
    const shown = sections.filter(
      (text) => headings.length === 0 || headings.includes(text.split('\n')[0] ?? ''),
    );
    expect(shown.length, page).toBe(headings.length || sections.length);
    // A table of Markdown, or one that a benchmark has printed.
    return shown.flatMap((text) =>
      [...text.matchAll(/^(.+)\n\n(?:\||```\n)/gm)].map(([, paragraph = '']) => ({ page, paragraph })),
    );
  });
  expect(tables.length).toBeGreaterThan(5);
  const undated = tables.filter(
    ({ paragraph }) =>
      !/\d{1,2} [A-Z][a-z]+ 20\d\d/.test(paragraph) ||
      !/commit `[0-9a-f]{8}`/.test(paragraph) ||
      !/processors|cores/.test(paragraph),
  );
  expect(undated).toEqual([]);
});
