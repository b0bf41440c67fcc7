import type { Connection } from './connection.ts';

/** The database's version counters at one moment. */
export interface DatabaseVersion {
  /** Identifies this history. */
  readonly epoch: string;
  /** Changes whenever a row that cached query results depend on has changed. */
  readonly version: number;
  /** The versions of the requested boards, by board id. */
  readonly boards: ReadonlyMap<string, number>;
}

interface PendingCheck {
  readonly boards: Set<string>;
  readonly seen: Promise<DatabaseVersion>;
}

const historyText = `SELECT (SELECT epoch FROM history) AS epoch, (SELECT sum(version) FROM write_lanes) AS version, NULL AS board,
    NULL::numeric AS board_version`;
const boardsText = `${historyText}
  UNION ALL SELECT NULL, NULL, board_id::text, sum(version) FROM board_versions WHERE board_id = ANY ($1::uuid[]) GROUP BY board_id`;

interface Row {
  epoch: string | null;
  version: number | null;
  board: string | null;
  board_version: number;
}

/**
 * Checks whether cached query results are still valid. A check begins after it was requested, so it sees everything
 * another node has acknowledged before. All requests of one event loop turn, and those made while the previous check is
 * in flight, share one check: the busier a node is, the more of its calls share one.
 */
export class VersionCheck {
  readonly #run: Connection['run'];
  readonly #seen: (seen: DatabaseVersion) => void;
  #pending: PendingCheck | null = null;
  /** Settles with the check in flight, never rejects; the next check waits for it. */
  #inFlight: Promise<void> | null = null;

  constructor(run: Connection['run'], seen: (seen: DatabaseVersion) => void) {
    this.#run = run;
    this.#seen = seen;
  }

  now(board: string | null): Promise<DatabaseVersion> {
    this.#pending ??= this.#schedule();
    if (board !== null) this.#pending.boards.add(board);
    return this.#pending.seen;
  }

  #schedule(): PendingCheck {
    const boards = new Set<string>();
    const before = this.#inFlight ?? new Promise<void>((resolve) => setImmediate(resolve));
    const seen = before.then(async () => {
      this.#pending = null;
      const checking = this.#query([...boards]);
      const ended = checking.then(
        () => {},
        () => {},
      );
      this.#inFlight = ended;
      try {
        return await checking;
      } finally {
        if (this.#inFlight === ended) this.#inFlight = null;
      }
    });
    return { boards, seen };
  }

  async #query(boards: readonly string[]): Promise<DatabaseVersion> {
    const { rows } = await (boards.length > 0
      ? this.#run<Row>(boardsText, [boards])
      : this.#run<Row>(historyText));
    const [first, ...boardRows] = rows;
    const version: DatabaseVersion = {
      epoch: first?.epoch ?? '',
      version: first?.version ?? 0,
      boards: new Map(boardRows.map((row) => [row.board ?? '', row.board_version])),
    };
    this.#seen(version);
    return version;
  }
}
