import { styleText } from 'node:util';

/** Prints a command's result: JSON for programs, a table of names and values for people. */
export function print(result: object | readonly object[], asJson: boolean | undefined): void {
  process.stdout.write(asJson ? `${JSON.stringify(result)}\n` : `${toTable(result)}\n`);
}

/** Prints a list: as it is as JSON, or what people want to know of each item as a table. */
export function printList<Item extends object>(
  items: readonly Item[],
  asJson: boolean | undefined,
  row: (item: Item) => object,
): void {
  print(asJson ? items : items.map(row), asJson);
}

function toTable(result: object | readonly object[]): string {
  if (!Array.isArray(result)) {
    const entries = Object.entries(result);
    const width = Math.max(...entries.map(([name]) => name.length));
    const label = (name: string) =>
      styleText('bold', name, { stream: process.stdout }) + ' '.repeat(width - name.length);
    return entries.map(([name, value]) => `${label(name)}  ${cell(value)}`).join('\n');
  }
  const [first] = result;
  if (!first) return 'none';
  const names = Object.keys(first);
  const rows = [names, ...result.map((row) => names.map((name) => cell(row[name])))];
  const widths = names.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const [heading = '', ...lines] = rows.map((row) =>
    row
      .map((text, column) => text.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  // Styled on terminals only.
  return [styleText('bold', heading, { stream: process.stdout }), ...lines].join('\n');
}

function cell(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Reports progress in place on standard error, only when that is a terminal, so that logs and pipes stay quiet. */
export class Progress {
  readonly #label: string;
  #shown = -1;

  constructor(label: string) {
    this.#label = label;
  }

  update(done: number, total: number): void {
    if (!process.stderr.isTTY) return;
    const percent = total === 0 ? 100 : Math.floor((100 * done) / total);
    if (percent <= this.#shown) return;
    this.#shown = percent;
    process.stderr.write(`\r${this.#label} ${percent} %`);
  }

  end(): void {
    if (this.#shown !== -1) process.stderr.write('\n');
  }
}
