import pg from 'pg';
import { RowExistsError } from '../../core/storage/row-exists.ts';
import { codeOf } from '../../runtime/error-code.ts';
import { withTimeout } from '../../runtime/timeouts.ts';
import { withNulls } from './null-characters.ts';
import { QueryGroup } from './query-group.ts';

const connectTimeoutMs = 3_000;
const unserved =
  `timeout expired: PostgreSQL accepted a connection, but did not answer on it within ${connectTimeoutMs / 1000} s; ` +
  'if a pooler is between, its pool may be too small (PgBouncer: default_pool_size, at least 15 per node)';

/** Settings of every connection. An abandoned open transaction would block other nodes' writes. */
const sessionSettings = `SET jit = off; SET idle_in_transaction_session_timeout = '10s'; SET statement_timeout = '60s';
  SET DateStyle = 'ISO'; SET standard_conforming_strings = on`;

const numbers = new Set([20, 21, 23, 26, 700, 701, 1700]); // int8, int2, int4, oid, float4, float8, numeric
const boolean = 16;

const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number) => {
    if (numbers.has(oid)) return Number;
    return oid === boolean ? (text: string) => text === 't' : withNulls;
  }) as pg.CustomTypesConfig['getTypeParser'],
};

/** A connection that pipelines statements: it sends the next before the previous one has completed. */
export class Connection {
  readonly #client: pg.Client;
  readonly #isGrouped: boolean;
  /** The statements of this turn of the event loop that have not been sent. */
  #group: QueryGroup | null = null;
  /** Statements in flight. */
  pending = 0;
  isLost = false;
  #isDestroyed = false;
  /** The first error that the driver has reported of it. */
  #lostBy: Error | null = null;
  /** The last commit has begun a transaction that nothing has used yet. */
  #hasBegun = false;

  private constructor(client: pg.Client, isGrouped: boolean) {
    this.#client = client;
    this.#isGrouped = isGrouped;
    const markLost = () => {
      this.isLost = true;
    };
    client.on('error', (error: Error) => {
      this.#lostBy ??= error;
      markLost();
    });
    client.on('end', markLost);
  }

  /**
   * `isGrouped`: the statements of one turn of the event loop are sent as a `QueryGroup`; none succeeds after one that
   * has failed. @throws the driver's or the server's error
   */
  static async open(url: string, name: string, { isGrouped = false } = {}): Promise<Connection> {
    const client = new pg.Client({
      connectionString: url,
      application_name: name,
      connectionTimeoutMillis: connectTimeoutMs,
      keepAlive: true,
      pipeline: true,
      types,
    } as pg.ClientConfig);
    const connection = new Connection(client, isGrouped);
    try {
      await client.connect();
      await connection.#configure();
      return connection;
    } catch (error) {
      connection.destroy();
      throw error;
    }
  }

  /** A pooler that has no server connection left accepts this one nevertheless, and lets its first statement wait. */
  async #configure(): Promise<void> {
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      this.destroy();
    }, connectTimeoutMs);
    try {
      for (const statement of sessionSettings.split(';')) await this.#client.query(statement);
    } catch (error) {
      throw isLate ? new Error(unserved) : error;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Runs a prepared statement; returns its rows, or how many it wrote. */
  async run<Row>(
    text: string,
    values: readonly unknown[] = [],
  ): Promise<{ rows: Row[]; rowCount: number; command: string }> {
    this.pending++;
    try {
      const query = { name: nameOf(text), text, values: values as unknown[] };
      const result = await (this.#isGrouped ? this.#addToGroup(query) : this.#client.query(query));
      return { rows: result.rows as Row[], rowCount: result.rowCount ?? 0, command: result.command };
    } catch (error) {
      throw this.#causeOf(error);
    } finally {
      this.pending--;
    }
  }

  /** Begins a transaction, unless the last commit has begun it. */
  async begin(): Promise<void> {
    if (this.#hasBegun) this.#hasBegun = false;
    else await this.run('BEGIN');
  }

  /**
   * `andBegin`: begins the next transaction in the same round trip.
   * @throws Error when the transaction was rolled back
   */
  async commit({ andBegin = false }: { andBegin?: boolean } = {}): Promise<void> {
    const { command } = await this.run(andBegin ? 'COMMIT AND CHAIN' : 'COMMIT');
    if (command !== 'COMMIT') throw new Error('COMMIT rolled back although no statement failed');
    this.#hasBegun = andBegin;
  }

  /** Ends a transaction that a commit has begun and nothing has used. */
  async endUnused(): Promise<void> {
    if (!this.#hasBegun) return;
    this.#hasBegun = false;
    await this.script('ROLLBACK');
  }

  /** Runs statements without parameters, unprepared; returns the command tag of a single one. */
  async script(text: string): Promise<string> {
    this.pending++;
    try {
      this.#sendGroup();
      return (await this.#client.query(text)).command;
    } catch (error) {
      throw this.#causeOf(error);
    } finally {
      this.pending--;
    }
  }

  /** Of what is sent once the connection is lost, the driver says only that. */
  #causeOf(error: unknown): unknown {
    const isSentTooLate = error instanceof Error && error.message.startsWith('Client has encountered');
    return isSentTooLate ? (this.#lostBy ?? error) : error;
  }

  #addToGroup(query: { name: string; text: string; values: unknown[] }): Promise<pg.QueryResult> {
    if (!this.#group) {
      this.#group = new QueryGroup();
      process.nextTick(() => this.#sendGroup());
    }
    return this.#group.add({ ...query, types });
  }

  #sendGroup(): void {
    if (this.#group) this.#client.query(this.#group);
    this.#group = null;
  }

  async close(): Promise<void> {
    this.isLost = true;
    await withTimeout(
      1_000,
      this.#client.end().catch(() => {}),
    );
    this.destroy();
  }

  /** Destroys the socket; statements in flight are rejected. */
  destroy(): void {
    this.isLost = true;
    if (this.#isDestroyed) return; // every statement in flight may call it
    this.#isDestroyed = true;
    this.#client.end().catch(() => {});
    (this.#client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
  }
}

const names = new Map<string, string>();

/** A short name for a prepared statement: PostgreSQL truncates names to 63 characters. */
function nameOf(text: string): string {
  let name = names.get(text);
  if (name === undefined) {
    name = `g${names.size}`;
    names.set(text, name);
  }
  return name;
}

/** PostgreSQL's code of a division by zero, with which statements fail a transaction. */
export const divisionByZero = '22012';

/** Names the table if the error is a violation of a unique index; returns other errors unchanged. */
export function withRowExists(error: unknown): unknown {
  return error instanceof pg.DatabaseError && error.code === '23505' && error.table !== undefined
    ? new RowExistsError(error.table, { cause: error })
    : error;
}

/** Waits for everything sent, then throws the first failure: those after it in the transaction are its consequences. */
export async function settled(sent: readonly Promise<unknown>[]): Promise<void> {
  for (const outcome of await Promise.allSettled(sent))
    if (outcome.status === 'rejected') throw outcome.reason;
}

/** The connection was lost or could not be opened: what was in flight may have taken effect or not. */
export function isConnectionLost(error: unknown): boolean {
  const code = codeOf(error);
  if (error instanceof Error && 'syscall' in error && error.syscall === 'open') return false; // a file of certificates
  if (
    /^(08|57P0|53[23])/.test(code) ||
    /^(ECONN|EPIPE|ETIMEDOUT|EHOST|ENET|ENOTFOUND|EAI_|ENOENT)/.test(code)
  )
    return true;
  const text = error instanceof Error ? error.message : '';
  return /^(Connection terminated|Client has encountered|Client was closed|timeout expired|Query read timeout)/.test(
    text,
  );
}

/** A transient failure without effect: a deadlock, a timeout. */
export function isTransient(error: unknown): boolean {
  return ['40001', '40P01', '55P03', '25P03', '57014'].includes(codeOf(error));
}

/** A constraint violation: a row exists, or is gone, contrary to what was read. */
export function isConflict(error: unknown): boolean {
  return codeOf(error).startsWith('23');
}

/**
 * Plans are made once, and look rows up in indexes. Statements that find rows by key need no plan that depends on
 * values, and making one takes longer than running it. A plan made while a table is small must not scan it whole,
 * because it is also used when the table has grown.
 */
const byKey: Readonly<Record<string, string>> = {
  plan_cache_mode: 'force_generic_plan',
  enable_seqscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
};

/** Sets how statements are planned on a connection that finds rows by key. */
export async function planByKey(connection: Connection): Promise<void> {
  const settings = Object.entries(byKey).map(([name, value]) => `set_config('${name}', '${value}', false)`);
  await connection.run(`SELECT ${settings.join(', ')}`);
}

/** Lets the current transaction run statements other than a batch's, which are planned as on other connections. */
export async function planByValues(connection: Connection): Promise<void> {
  await settled(Object.keys(byKey).map((name) => connection.script(`SET LOCAL ${name} = DEFAULT`)));
}
