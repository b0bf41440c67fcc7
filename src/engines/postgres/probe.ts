import { Connection, isConnectionLost } from './connection.ts';

/** The timeout for a query that costs the server nothing. */
const timeoutMs = 3_000;

/** A server's history, and how many batches each lane has committed. */
export interface ServerState {
  readonly epoch: string;
  /** The lowest schema that a program must know to use the database. */
  readonly oldestCompatible: number;
  readonly lanes: ReadonlyMap<number, number>;
}

/** The server has not responded in time, although the connection may still be open. */
export class ProbeTimeout extends Error {}

/**
 * Checks whether the server responds, on a dedicated connection: on the others, a response may wait for long
 * statements.
 */
export class Probe {
  readonly #url: string;
  #connection: Connection | null = null;

  constructor(url: string) {
    this.#url = url;
  }

  /**
   * That the connection was lost says nothing about the server: another one is opened.
   * @throws ProbeTimeout, or the driver's error
   */
  async check(): Promise<ServerState> {
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      this.#connection?.destroy();
    }, timeoutMs);
    try {
      const known = this.#connection;
      if (known) {
        try {
          return await read(known);
        } catch (error) {
          if (isLate || !isConnectionLost(error)) throw error;
        }
      }
      this.#connection = await Connection.open(this.#url, 'gantry probe'); // has its own timeout
      return await read(this.#connection);
    } catch (error) {
      this.#connection?.destroy();
      this.#connection = null;
      const gaveUp = isLate || (error instanceof Error && error.message.startsWith('timeout expired'));
      throw gaveUp ? new ProbeTimeout(`no response within ${timeoutMs / 1000} s`, { cause: error }) : error;
    } finally {
      clearTimeout(timer);
    }
  }

  async close(): Promise<void> {
    await this.#connection?.close();
  }
}

async function read(connection: Connection): Promise<ServerState> {
  const { rows } = await connection.run<{
    epoch: string;
    oldest: number;
    lane: number | null;
    n: number;
  }>('SELECT epoch, oldest_compatible AS oldest, lane, n FROM history LEFT JOIN write_lanes ON true');
  const lanes = new Map<number, number>();
  for (const { lane, n } of rows) if (lane !== null) lanes.set(lane, n);
  return { epoch: rows[0]?.epoch ?? '', oldestCompatible: rows[0]?.oldest ?? 0, lanes };
}
