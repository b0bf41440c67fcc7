import type { Row } from './benchmark.ts';

const columns: readonly { title: string; cell(row: Row): string; right?: boolean }[] = [
  { title: 'name', cell: (row) => row.name },
  { title: 'variant', cell: (row) => row.variant },
  { title: 'ratio', cell: (row) => row.ratio.toFixed(2), right: true },
  { title: 'aim', cell: (row) => row.aim },
  { title: 'ours', cell: (row) => quantity(row.ours), right: true },
  { title: 'against', cell: (row) => quantity(row.against), right: true },
  { title: 'CPU µs', cell: (row) => cpu(row.ourCpuMicroseconds), right: true },
  { title: 'peer CPU µs', cell: (row) => cpu(row.theirCpuMicroseconds), right: true },
  { title: 'unit', cell: (row) => row.unit },
  { title: 'spread', cell: (row) => `±${(row.spread * 100).toFixed(0)} %`, right: true },
  { title: 'rounds', cell: (row) => String(row.rounds), right: true },
];

/** The rows for people: a header and one line each, in columns. */
export function table(rows: readonly Row[]): string {
  const widths = columns.map(({ title, cell }) =>
    Math.max(title.length, ...rows.map((row) => cell(row).length)),
  );
  const lines = [
    columns.map(({ title }) => title),
    ...rows.map((row) => columns.map(({ cell }) => cell(row))),
  ];
  return lines
    .map((cells) => cells.map((cell, at) => pad(cell, widths[at] ?? 0, columns[at]?.right)).join('  '))
    .map((line) => `${line.trimEnd()}\n`)
    .join('');
}

/** Of a row in JSON, in this order. */
const fields = [
  'name',
  'variant',
  'ratio',
  'ours',
  'against',
  'ourCpuMicroseconds',
  'theirCpuMicroseconds',
  'unit',
  'spread',
  'rounds',
  'figures',
] as const satisfies readonly (keyof Row)[];

/** The rows for programs: an array of objects with these fields. */
export function json(rows: readonly Row[]): string {
  const picked = rows.map((row) => Object.fromEntries(fields.map((field) => [field, row[field]])));
  return `${JSON.stringify(picked, null, 2)}\n`;
}

function pad(cell: string, width: number, right = false): string {
  return right ? cell.padStart(width) : cell.padEnd(width);
}

function quantity(value: number): string {
  return value.toLocaleString('en-US', { maximumFractionDigits: value < 1 ? 2 : value < 100 ? 1 : 0 });
}

function cpu(microseconds: number | undefined): string {
  return microseconds === undefined || Number.isNaN(microseconds) ? '' : quantity(microseconds);
}
