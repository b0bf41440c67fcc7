import { Connection, isConnectionLost, unavailable } from './connection.ts';

/** Connections that answer many reads at once. */
const sharedCount = 3;
/** The connection behind those, for what every call waits for: no long read is ahead of it there. */
const quick = sharedCount;
/** Connections that read one moment at a time. */
const maxViews = 6;

/** The connections of a node that read. */
export class ReadConnections {
  readonly #url: string;
  readonly #shared: (Promise<Connection> | null)[] = Array.from({ length: sharedCount + 1 }, () => null);
  readonly #free: Connection[] = [];
  readonly #waiting: ((connection: Connection) => void)[] = [];
  #views = 0;
  #next = 0;
  #isClosed = false;
  readonly #open = new Set<Connection>();
  /** The server does not answer: reads are refused at once, until it does. */
  isAway = false;

  constructor(url: string) {
    this.#url = url;
  }

  /** Runs a statement that reads; once more on another connection when its own was lost. @throws GantryError `store_unavailable` */
  run<Row>(text: string, values: readonly unknown[] = []) {
    return this.#run<Row>(() => this.#nextShared(), text, values);
  }

  /** The same for a statement that never takes long, which waits for no other kind. @throws GantryError `store_unavailable` */
  runQuick<Row>(text: string, values: readonly unknown[] = []) {
    return this.#run<Row>(() => quick, text, values);
  }

  /** A connection that from here on reads one and the same moment. @throws GantryError `store_unavailable` */
  async beginView(): Promise<Connection> {
    try {
      const connection = await this.#freeConnection();
      try {
        await connection.script('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
        return connection;
      } catch (error) {
        this.#giveBack(connection);
        throw error;
      }
    } catch (error) {
      throw isConnectionLost(error) ? unavailable(error) : error;
    }
  }

  endView(connection: Connection): void {
    connection.script('ROLLBACK').then(
      () => this.#giveBack(connection),
      () => {
        connection.destroy();
        this.#giveBack(connection);
      },
    );
  }

  /** Runs work in a transaction that writes what it has read, all of one moment. */
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
      this.#giveBack(connection);
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const shared = await Promise.allSettled(this.#shared.filter((one) => one !== null));
    const open = shared.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    await Promise.all([...open, ...this.#free.splice(0)].map((one) => one.close()));
  }

  /** The server does not answer: nothing waits for it any longer. */
  cutOff(): void {
    this.isAway = true;
    for (const connection of this.#open) connection.destroy();
  }

  async #connect(name: string): Promise<Connection> {
    if (this.isAway) throw unavailable();
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
      throw isConnectionLost(error) ? unavailable(error) : error;
    }
  }

  #nextShared(): number {
    this.#next = (this.#next + 1) % sharedCount;
    return this.#next;
  }

  async #connection(at: number): Promise<Connection> {
    if (this.#isClosed) throw new Error('the database is closed');
    const known = this.#shared[at];
    if (known) {
      const connection = await known.catch(() => null);
      if (connection && !connection.isLost) return connection;
      if (this.#shared[at] === known) this.#shared[at] = null;
    }
    const opening = this.#shared[at] ?? this.#connect('gantry reader');
    this.#shared[at] = opening;
    return opening;
  }

  async #freeConnection(): Promise<Connection> {
    for (let free = this.#free.pop(); free; free = this.#free.pop()) {
      if (!free.isLost) return free;
      this.#views--;
    }
    if (this.#views >= maxViews) return new Promise((resolve) => this.#waiting.push(resolve));
    this.#views++;
    try {
      return await this.#connect('gantry view');
    } catch (error) {
      this.#views--;
      throw error;
    }
  }

  #giveBack(connection: Connection): void {
    const waiting = this.#waiting.shift();
    if (waiting && !connection.isLost) {
      waiting(connection);
      return;
    }
    if (waiting) {
      this.#views--;
      this.#freeConnection().then(waiting, () => waiting(connection)); // fails there with what is wrong
      return;
    }
    if (this.#isClosed || connection.isLost) {
      this.#views--;
      connection.destroy();
    } else this.#free.push(connection);
  }
}
