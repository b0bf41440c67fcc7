import SqliteDatabase, { type Database, type Statement } from 'better-sqlite3';
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
  readonly #restore: (() => void)[];

  constructor() {
    const executions = this.#executions;
    const statements = Object.getPrototypeOf(new SqliteDatabase(':memory:').prepare('SELECT 1'));
    this.#restore = [
      wrap(SqliteDatabase.prototype, 'prepare', (prepare) => {
        const statement = prepare() as Statement;
        if (!executions.has(statement.source)) executions.set(statement.source, []);
        return statement;
      }),
      ...runners.map((name) =>
        wrap<Statement>(statements, name, (run, { source }, values) => {
          const of = executions.get(source);
          if (of && of.length < maxExecutions) of.push(values);
          return run();
        }),
      ),
    ];
  }

  /** Ends the recording. */
  stop(): Execution[] {
    for (const restore of this.#restore) restore();
    return [...this.#executions].flatMap(([text, of]): Execution[] =>
      of.length === 0 ? [{ text, values: null }] : of.map((values) => ({ text, values })),
    );
  }
}

/**
 * Replaces a method of all instances until the returned function is called. Replacing those of each statement took
 * longer than preparing it, and spies keep every call with its result.
 */
function wrap<Instance extends object>(
  prototype: object,
  name: string,
  replacement: (call: () => unknown, instance: Instance, args: unknown[]) => unknown,
): () => void {
  const method: (...args: unknown[]) => unknown = Reflect.get(prototype, name);
  Reflect.set(prototype, name, function (this: Instance, ...args: unknown[]) {
    return replacement(() => method.apply(this, args), this, args);
  });
  return () => void Reflect.set(prototype, name, method);
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
