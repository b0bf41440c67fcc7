import { unavailable } from '../unavailable.ts';
import { Connection, isConnectionLost, planByKey } from './connection.ts';

/** Connections on which reads are pipelined. */
const pipelinedCount = 3;
/** Further ones for reads that look rows up in indexes by given keys; their plans are made once. */
const keyedCount = 2;
/** The index of one more, for the short reads that every call waits for: no long read is ahead of them there. */
const quickIndex = pipelinedCount + keyedCount;
/** Connections for reads from a snapshot, one reader each. */
const maxSnapshots = 6;
/** How many connections a node opens at most for reading. */
export const maxReadConnections = quickIndex + 1 + maxSnapshots;

/** A node's connections for reading. */
export class ReadConnections {
  readonly #url: string;
  readonly #pipelined: (Promise<Connection> | null)[] = Array.from({ length: quickIndex + 1 }, () => null);
  readonly #free: Connection[] = [];
  readonly #waiting: ((connection: Connection) => void)[] = [];
  #snapshotCount = 0;
  #next = 0;
  #nextKeyed = 0;
  #isClosed = false;
  readonly #open = new Set<Connection>();
  /** The server does not respond: reads are refused at once, until it does. */
  isUnreachable = false;

  constructor(url: string) {
    this.#url = url;
  }

  /** Runs a read, and once more on another connection if the first is lost. @throws GantryError `store_unavailable` */
  run<Row>(text: string, values: readonly unknown[] = []) {
    return this.#run<Row>(() => this.#nextPipelined(), text, values);
  }

  /** As `run`, for statements whose best plan looks rows up in indexes, whatever the values. */
  runByKey<Row>(text: string, values: readonly unknown[] = []) {
    return this.#run<Row>(() => this.#nextByKey(), text, values);
  }

  /** As `runByKey`, for short reads, which never wait for long ones. @throws GantryError `store_unavailable` */
  runQuick<Row>(text: string, values: readonly unknown[] = []) {
    return this.#run<Row>(() => quickIndex, text, values);
  }

  /** Returns a connection that reads from one snapshot until `endView`. @throws GantryError `store_unavailable` */
  async beginView(): Promise<Connection> {
    try {
      const connection = await this.#freeConnection();
      try {
        await connection.script('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
        return connection;
      } catch (error) {
        this.#release(connection);
        throw error;
      }
    } catch (error) {
      throw isConnectionLost(error) ? unavailable('be reached', error) : error;
    }
  }

  endView(connection: Connection): void {
    connection.script('ROLLBACK').then(
      () => this.#release(connection),
      () => {
        connection.destroy();
        this.#release(connection);
      },
    );
  }

  /** Runs work in a repeatable-read transaction that may write. */
  async inTransaction<Result>(work: (connection: Connection) => Promise<Result>): Promise<Result> {
    const connection = await this.#freeConnection();
    try {
      await connection.script('BEGIN ISOLATION LEVEL REPEATABLE READ');
      const result = await work(connection);
      await connection.script('COMMIT');
      return result;
    } catch (error) {
      await connection.script('ROLLBACK').catch(() => connection.destroy());
      throw error;
    } finally {
      this.#release(connection);
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const pipelined = await Promise.allSettled(this.#pipelined.filter((one) => one !== null));
    const open = pipelined.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    await Promise.all([...open, ...this.#free.splice(0)].map((one) => one.close()));
  }

  /** The server does not respond: fails the reads in flight, and refuses further ones. */
  cutOff(): void {
    this.isUnreachable = true;
    for (const connection of this.#open) connection.destroy();
  }

  async #connect(name: string): Promise<Connection> {
    if (this.isUnreachable) throw unavailable('be reached');
    const connection = await Connection.open(this.#url, name);
    for (const other of this.#open) if (other.isLost) this.#open.delete(other);
    this.#open.add(connection);
    return connection;
  }

  async #run<Row>(place: () => number, text: string, values: readonly unknown[]) {
    try {
      const connection = await this.#connection(place());
      try {
        return await connection.run<Row>(text, values);
      } catch (error) {
        if (!isConnectionLost(error)) throw error;
        connection.destroy();
        return await (await this.#connection(place())).run<Row>(text, values);
      }
    } catch (error) {
      throw isConnectionLost(error) ? unavailable('be reached', error) : error;
    }
  }

  #nextPipelined(): number {
    this.#next = (this.#next + 1) % pipelinedCount;
    return this.#next;
  }

  #nextByKey(): number {
    this.#nextKeyed = (this.#nextKeyed + 1) % keyedCount;
    return pipelinedCount + this.#nextKeyed;
  }

  async #connection(at: number): Promise<Connection> {
    if (this.#isClosed) throw new Error('the database is closed');
    const known = this.#pipelined[at];
    if (known) {
      const connection = await known.catch(() => null);
      if (connection && !connection.isLost) return connection;
      if (this.#pipelined[at] === known) this.#pipelined[at] = null;
    }
    const opening = this.#pipelined[at] ?? this.#openReader(at >= pipelinedCount);
    this.#pipelined[at] = opening;
    return opening;
  }

  async #openReader(isByKey: boolean): Promise<Connection> {
    const connection = await this.#connect('gantry reader');
    if (isByKey) await planByKey(connection);
    return connection;
  }

  async #freeConnection(): Promise<Connection> {
    for (let free = this.#free.pop(); free; free = this.#free.pop()) {
      if (!free.isLost) return free;
      this.#snapshotCount--;
    }
    if (this.#snapshotCount >= maxSnapshots) return new Promise((resolve) => this.#waiting.push(resolve));
    this.#snapshotCount++;
    try {
      return await this.#connect('gantry view');
    } catch (error) {
      this.#snapshotCount--;
      throw error;
    }
  }

  #release(connection: Connection): void {
    const waiting = this.#waiting.shift();
    if (waiting && !connection.isLost) {
      waiting(connection);
      return;
    }
    if (waiting) {
      this.#snapshotCount--;
      this.#freeConnection().then(waiting, () => waiting(connection)); // the lost connection fails there
      return;
    }
    if (this.#isClosed || connection.isLost) {
      this.#snapshotCount--;
      connection.destroy();
    } else this.#free.push(connection);
  }
}
