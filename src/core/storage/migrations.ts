/**
 * A step of the schema. `expand` only adds what earlier programs ignore, so that they run beside it and after rolling
 * back. `contract` ends programs that know less than the schema `since`.
 */
export interface Migration<Run> {
  readonly name: string;
  readonly run: Run;
  /** Of a contract step: the lowest schema that a program must know to use the result. Null: an expand step. */
  readonly since: number | null;
}

export function expand<Run>(steps: Readonly<Record<string, Run>>): Migration<Run>[] {
  return Object.entries(steps).map(([name, run]) => ({ name, run, since: null }));
}

export function contract<Run>(since: number, steps: Readonly<Record<string, Run>>): Migration<Run>[] {
  return Object.entries(steps).map(([name, run]) => ({ name, run, since }));
}

/** The lowest schema that a program must know to use a database with these migrations. */
export function oldestCompatible(migrations: readonly Migration<unknown>[]): number {
  return Math.max(0, ...migrations.map(({ since }) => since ?? 0));
}

/** What a database records of its schema: how many migrations have run, and the lowest that a program must know. */
export interface SchemaState {
  readonly version: number;
  /** Where none is recorded, the version. */
  readonly oldestCompatible: number;
}

/** Whether a program that knows `known` migrations may use a database; it runs those that are missing. */
export function isAdmitted(found: SchemaState, known: number): boolean {
  return found.version <= known || found.oldestCompatible <= known;
}

/** For a server that is running, or a person: the schema does not admit this program any more. */
export function endedBySchema(oldest: number, known: number): string {
  return (
    `A newer version of Gantry has upgraded the database, and this one cannot use it any more: its schema requires ` +
    `programs that know version ${oldest}, and this one knows ${known}. Start the newer version`
  );
}

/** What starting this program does to the schema of a database. */
export interface UpgradePlan {
  /** Null: there is no schema yet. */
  readonly from: number | null;
  readonly to: number;
  readonly pending: readonly { schema: number; name: string; kind: 'expand' | 'contract' }[];
  /** False: a newer program has changed the schema so that this one cannot use it. */
  readonly isAdmitted: boolean;
  /** Whether programs that know no more than the present schema can use the result. */
  readonly keepsEarlier: boolean;
}

export function planUpgrade(
  migrations: readonly Migration<unknown>[],
  found: SchemaState | null,
): UpgradePlan {
  const from = found?.version ?? 0;
  const pending = migrations.slice(from).map(({ name, since }, at) => ({
    schema: from + at + 1,
    name: name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`),
    kind: since === null ? ('expand' as const) : ('contract' as const),
  }));
  return {
    from: found?.version ?? null,
    to: migrations.length,
    pending,
    isAdmitted: found === null || isAdmitted(found, migrations.length),
    keepsEarlier: found !== null && (pending.length === 0 || oldestCompatible(migrations) <= from),
  };
}

/** The rows that pending migrations may read or write, for an estimate of their time and space. */
export interface UpgradeSize {
  /** Those whose rows they may rewrite or read. */
  readonly tables: readonly string[];
  readonly rows: number;
  readonly bytes: number;
}

/**
 * Which of the tables the text of pending migrations names: no others have rows that they read or write. A function
 * has its statements in its source.
 */
export function namedTables(pending: readonly Migration<unknown>[], tables: readonly string[]): string[] {
  const text = pending.map(({ run }) => String(run)).join('\n');
  return tables.filter((name) => new RegExp(`\\b${name}\\b`).test(text));
}
