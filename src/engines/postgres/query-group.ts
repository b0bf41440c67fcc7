import pg from 'pg';

/** Internals of pg that Gantry uses. `test/runtime/internals.test.ts` fails when a version no longer has them. */

/** Sends messages of the protocol. */
interface Wire {
  readonly stream: { cork(): void; uncork(): void; destroy(): void };
  /** By name, the statements that were sent to be parsed and are not known to have been. */
  readonly submittedNamedStatements: Record<string, string>;
  sync(): void;
}

/** What pg calls on a query as its messages arrive. */
interface WireQuery {
  readonly name: string;
  readonly text: string;
  submit(wire: Wire): unknown;
  handleRowDescription(message: unknown): void;
  handleDataRow(message: unknown): void;
  handleCommandComplete(message: unknown, wire: Wire): void;
  handleReadyForQuery(wire: Wire): void;
  handleError(error: unknown, wire: Wire): void;
}

/**
 * Named statements that the server receives together and answers together: with one Sync at the end, where pg sends one
 * after each, so that either side writes, wakes up and reads only once. When one fails, the server skips those after
 * it, which are rejected with the same error: they must be of one transaction. Send it with `client.query`.
 */
export class QueryGroup extends pg.Query {
  readonly #queries: WireQuery[] = [];
  /** Which of them is being answered. */
  #at = 0;
  /** Those of that query: pg records under them that it was parsed. */
  name = '';
  text = '';

  constructor() {
    super({ text: '' }); // it sends nothing of its own
  }

  /** Adds a statement. The promise is settled when the server has answered the whole group. */
  add(config: pg.QueryConfig & { name: string }): Promise<pg.QueryResult> {
    return new Promise((resolve, reject) => {
      const query = new pg.Query(config, (error, result) => {
        if (error) reject(error);
        else resolve(result);
      });
      this.#queries.push(query as unknown as WireQuery);
    });
  }

  override submit = (connection: pg.Connection): void => {
    const wire = connection as unknown as Wire;
    const withoutSync: Wire = Object.create(wire, {
      sync: { value: () => {} },
      // Called for a value that cannot be encoded: without its statement the others must not take effect.
      close: { value: () => wire.stream.destroy() },
    });
    wire.stream.cork();
    for (const query of this.#queries) query.submit(withoutSync);
    wire.sync();
    wire.stream.uncork();
    this.#answer(0);
  };

  handleRowDescription(message: unknown): void {
    this.#queries[this.#at]?.handleRowDescription(message);
  }

  handleDataRow(message: unknown): void {
    this.#queries[this.#at]?.handleDataRow(message);
  }

  handleCommandComplete(message: unknown, wire: Wire): void {
    this.#queries[this.#at]?.handleCommandComplete(message, wire);
    this.#answer(this.#at + 1);
  }

  handleReadyForQuery(wire: Wire): void {
    for (const query of this.#queries) query.handleReadyForQuery(wire);
  }

  handleError(error: unknown, wire: Wire): void {
    for (const query of this.#queries.slice(0, this.#at)) query.handleReadyForQuery(wire);
    for (const query of this.#queries.slice(this.#at)) {
      delete wire.submittedNamedStatements[query.name]; // it was not parsed
      query.handleError(error, wire);
    }
  }

  #answer(at: number): void {
    this.#at = at;
    this.name = this.#queries[at]?.name ?? '';
    this.text = this.#queries[at]?.text ?? '';
  }
}
