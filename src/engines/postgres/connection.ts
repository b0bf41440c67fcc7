import pg from 'pg';
import { GantryError } from '../../errors.ts';
import { codeOf } from '../../runtime/error-code.ts';
import { withTimeout } from '../../runtime/timeouts.ts';
import { withNulls } from './null-characters.ts';

/** How long a connection may take to be made. */
const connectTimeoutMs = 3_000;

/** Set for every connection of ours. A transaction that its node has left alone holds up others' writes. */
const session = `SET jit = off; SET idle_in_transaction_session_timeout = '10s'; SET statement_timeout = '60s';
  SET DateStyle = 'ISO'; SET standard_conforming_strings = on`;

const numbers = new Set([20, 21, 23, 26, 700, 701, 1700]); // int8, int2, int4, oid, float4, float8, numeric
const boolean = 16;

const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number) => {
    if (numbers.has(oid)) return Number;
    return oid === boolean ? (text: string) => text === 't' : withNulls;
  }) as pg.CustomTypesConfig['getTypeParser'],
};

/** A connection that takes the next statement before it has answered the one before. */
export class Connection {
  readonly #client: pg.Client;
  /** Statements under way. */
  pending = 0;
  isLost = false;

  private constructor(client: pg.Client) {
    this.#client = client;
    const lose = () => {
      this.isLost = true;
    };
    client.on('error', lose);
    client.on('end', lose);
  }

  /** @throws what the driver or the server says */
  static async open(url: string, name: string): Promise<Connection> {
    const client = new pg.Client({
      connectionString: url,
      application_name: name,
      connectionTimeoutMillis: connectTimeoutMs,
      keepAlive: true,
      pipeline: true,
      types,
    } as pg.ClientConfig);
    const connection = new Connection(client);
    try {
      await client.connect();
      for (const statement of session.split(';')) await client.query(statement);
      return connection;
    } catch (error) {
      connection.destroy();
      throw error;
    }
  }

  /** Runs a statement that is kept prepared; how many rows it wrote, or its rows. */
  async run<Row>(
    text: string,
    values: readonly unknown[] = [],
  ): Promise<{ rows: Row[]; rowCount: number; command: string }> {
    this.pending++;
    try {
      const result = await this.#client.query({ name: nameOf(text), text, values: values as unknown[] });
      return { rows: result.rows as Row[], rowCount: result.rowCount ?? 0, command: result.command };
    } finally {
      this.pending--;
    }
  }

  /** Runs statements without values, which are not kept. */
  async script(text: string): Promise<string> {
    this.pending++;
    try {
      return (await this.#client.query(text)).command;
    } finally {
      this.pending--;
    }
  }

  async close(): Promise<void> {
    this.isLost = true;
    await withTimeout(
      1_000,
      this.#client.end().catch(() => {}),
    );
    this.destroy();
  }

  /** Cuts it off; statements under way are rejected. */
  destroy(): void {
    this.isLost = true;
    this.#client.end().catch(() => {});
    (this.#client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
  }
}

const names = new Map<string, string>();

/** A short name for a statement that is kept prepared: PostgreSQL cuts names off at 63 characters. */
function nameOf(text: string): string {
  let name = names.get(text);
  if (name === undefined) {
    name = `g${names.size}`;
    names.set(text, name);
  }
  return name;
}

/** Waits for all that was sent, then throws what failed first: what follows it fails for that reason alone. */
export async function settled(sent: readonly Promise<unknown>[]): Promise<void> {
  for (const outcome of await Promise.allSettled(sent))
    if (outcome.status === 'rejected') throw outcome.reason;
}

/** The connection is gone, or there is none to be had: what was under way may have been done or not. */
export function isConnectionLost(error: unknown): boolean {
  const code = codeOf(error);
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

/** The database could not do it this time, and has done nothing: deadlocks, a replica that was asked to write. */
export function isPassing(error: unknown): boolean {
  return ['40001', '40P01', '55P03', '25P03', '25006', '57014'].includes(codeOf(error));
}

/** A row is there, or is not there, against what was read a moment before. */
export function isConflict(error: unknown): boolean {
  return codeOf(error).startsWith('23');
}

export function unavailable(cause?: unknown): GantryError {
  return new GantryError('store_unavailable', 'The database cannot be reached right now; try again later', {
    cause,
    retryAfterSeconds: 1,
  });
}
