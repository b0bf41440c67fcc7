import type { ChangeCounts } from './change-counts.ts';
import type { Connection } from './connection.ts';
import { versionLeaseMs } from './write-lane.ts';

/** The database's version counters at one moment. */
export interface DatabaseVersion {
  /** Identifies this history. */
  readonly epoch: string;
  /** Changes whenever a row that cached query results depend on has changed. */
  readonly version: number;
  /** The versions of the requested boards, by board id. */
  readonly boards: ReadonlyMap<string, number>;
}

/** The result of the last checks, while this node is the sole writer. */
interface KnownVersion extends DatabaseVersion {
  readonly boards: Map<string, number>;
  /** By `performance.now`. */
  readonly until: number;
  /** The counts of this node's own changes when the check began; null: one was being committed. */
  readonly rowChanges: number;
  readonly boardChanges: number | null;
}

interface PendingCheck {
  readonly boards: Set<string>;
  readonly seen: Promise<DatabaseVersion>;
}

const historyText = `SELECT (SELECT epoch FROM history) AS epoch, (SELECT sum(version) FROM write_lanes) AS version,
    (SELECT owner::text FROM write_lanes WHERE sole_writer) AS writer, NULL AS board, NULL::numeric AS board_version`;
const boardsText = `${historyText}
  UNION ALL SELECT NULL, NULL, NULL, board_id::text, sum(version) FROM board_versions
    WHERE board_id = ANY ($1::uuid[]) GROUP BY board_id`;
/** The most boards that are known without a check. */
const maxKnownBoards = 10_000;

interface Row {
  epoch: string | null;
  version: number | null;
  /** The owner of the lane that is the sole writer. */
  writer: string | null;
  board: string | null;
  board_version: number;
}

export interface VersionCheckOptions {
  readonly run: Connection['run'];
  /** How the owner ids of this node's lanes begin. */
  readonly node: string;
  /** The changes that this node's writer commits. */
  readonly changes: ChangeCounts;
  /** Called with the result of every check. */
  seen(seen: DatabaseVersion): void;
}

/**
 * Checks whether cached query results are still valid. A check begins after it was requested, so it sees everything
 * another node has acknowledged before. All requests of one event loop turn, and those made while the previous check is
 * in flight, share one check: the busier a node is, the more of its calls share one. While this node is the sole writer,
 * a result stays valid for `versionLeaseMs` unless this node itself changes it: a node that joins waits for longer than
 * that before it writes.
 */
export class VersionCheck {
  readonly #options: VersionCheckOptions;
  #known: KnownVersion | null = null;
  #pending: PendingCheck | null = null;
  /** Settles with the check in flight, never rejects; the next check waits for it. */
  #inFlight: Promise<void> | null = null;

  constructor(options: VersionCheckOptions) {
    this.#options = options;
  }

  now(board: string | null): DatabaseVersion | Promise<DatabaseVersion> {
    const known = this.#current();
    if (known && (board === null || (this.#hasCurrentBoards(known) && known.boards.has(board)))) return known;
    this.#pending ??= this.#schedule();
    if (board !== null) this.#pending.boards.add(board);
    return this.#pending.seen;
  }

  #current(): KnownVersion | null {
    const known = this.#known;
    const isCurrent =
      known && performance.now() < known.until && this.#options.changes.settled('rows') === known.rowChanges;
    return isCurrent ? known : null;
  }

  #hasCurrentBoards({ boardChanges }: KnownVersion): boolean {
    return boardChanges !== null && this.#options.changes.settled('boards') === boardChanges;
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
    const { run, node, changes } = this.#options;
    const until = performance.now() + versionLeaseMs;
    const known = this.#current();
    const knownBoards = known && this.#hasCurrentBoards(known) ? known.boards : null;
    const rowChanges = changes.settled('rows');
    const boardChanges = changes.settled('boards');
    const { rows } = await (boards.length > 0 ? run<Row>(boardsText, [boards]) : run<Row>(historyText));
    const [first, ...boardRows] = rows;
    const version: DatabaseVersion = {
      epoch: first?.epoch ?? '',
      version: first?.version ?? 0,
      boards: new Map(boardRows.map((row) => [row.board ?? '', row.board_version])),
    };
    if (rowChanges !== null && first?.writer?.startsWith(node)) {
      const kept = knownBoards && knownBoards.size < maxKnownBoards ? knownBoards : new Map<string, number>();
      for (const board of boards) kept.set(board, version.boards.get(board) ?? 0);
      this.#known = { ...version, boards: kept, until, rowChanges, boardChanges };
    } else this.#known = null;
    this.#options.seen(version);
    return version;
  }
}
