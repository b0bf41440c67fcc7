import SqliteDatabase, { type Database, type Statement } from 'better-sqlite3';
import { vi } from 'vitest';
import { withHiddenParameters } from '../../../src/engines/sqlite/prepare.ts';

/** The maximum number of executions per text whose values are kept. */
const maxExecutions = 5;
const runners = ['run', 'get', 'all', 'iterate'] as const;

interface Execution {
  text: string;
  /** Null: it was never executed. */
  values: unknown[] | null;
}

/** Every statement that is prepared from now on, as the engine wrote it, with values that it was executed with. */
export class RecordedStatements {
  readonly #executions = new Map<string, unknown[][]>();
  readonly #spy;

  constructor() {
    const { prepare } = SqliteDatabase.prototype;
    const executions = this.#executions;
    this.#spy = vi.spyOn(SqliteDatabase.prototype, 'prepare').mockImplementation(function (
      this: Database,
      text: string,
    ) {
      const statement = prepare.call(this, text);
      const of = executions.get(text) ?? [];
      executions.set(text, of);
      for (const name of runners) record(statement, name, of);
      return statement;
    });
  }

  /** Ends the recording. */
  stop(): Execution[] {
    this.#spy.mockRestore();
    return [...this.#executions].flatMap(([text, of]): Execution[] =>
      of.length === 0 ? [{ text, values: null }] : of.map((values) => ({ text, values })),
    );
  }
}

function record(statement: Statement, name: (typeof runners)[number], executions: unknown[][]): void {
  const run: (...values: unknown[]) => unknown = statement[name];
  Object.assign(statement, {
    [name](...values: unknown[]) {
      if (executions.length < maxExecutions) executions.push(values);
      return run.apply(statement, values);
    },
  });
}

/** The text as it was before `withHiddenParameters`. */
export function withVisibleParameters(text: string): string {
  const visible = text.replace(/\+([?@])/g, '$1');
  if (withHiddenParameters(visible) !== text) throw new Error(`not all parameters are hidden in ${text}`);
  return visible;
}

/** Null when SQLite compiles the text to the same program for these values, with parameters hidden or not. */
export function differenceWhenHidden(
  db: Database,
  visible: string,
  values: readonly unknown[],
): object | null {
  const programOf = (text: string) =>
    JSON.stringify(
      db
        .prepare(`EXPLAIN ${text}`)
        .raw()
        .all(...values),
    );
  const planOf = (text: string) =>
    db
      .prepare(`EXPLAIN QUERY PLAN ${text}`)
      .raw()
      .all(...values);
  const hidden = withHiddenParameters(visible);
  if (programOf(hidden) === programOf(visible)) return null;
  return { visible, values, hiddenPlan: planOf(hidden), visiblePlan: planOf(visible) };
}

/** One value for every parameter of a text. */
export function filledWith(value: unknown, text: string): unknown[] {
  const places = text.match(/\?/g) ?? [];
  const names = [...text.matchAll(/@(\w+)/g)].map(([, name = '']) => name);
  if (names.length > 0) return [Object.fromEntries(names.map((name) => [name, value]))];
  return places.map(() => value);
}
