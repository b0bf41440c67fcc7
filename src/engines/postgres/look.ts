import type { Connection } from './connection.ts';

/** What is the case at one moment. */
export interface Seen {
  /** Names this history. */
  readonly epoch: string;
  /** Another number than before when something that is remembered was changed. */
  readonly version: number;
  /** The same for single boards, by the game's id; only of those that were asked for. */
  readonly boards: ReadonlyMap<string, number>;
}

interface Waiting {
  readonly boards: Set<string>;
  readonly seen: Promise<Seen>;
}

const text = `SELECT (SELECT epoch FROM history) AS epoch, (SELECT sum(version) FROM write_lanes) AS version, NULL AS board,
    NULL::numeric AS board_version
  UNION ALL SELECT NULL, NULL, board_id::text, sum(version) FROM board_versions WHERE board_id = ANY ($1::uuid[]) GROUP BY board_id`;

interface Row {
  epoch: string | null;
  version: number | null;
  board: string | null;
  board_version: number;
}

/**
 * Whether what is remembered still holds: read once a turn of the event loop for all that is asked in it, after it was
 * asked, so that what another node has answered before is seen.
 */
export class Look {
  readonly #run: Connection['run'];
  readonly #seen: (seen: Seen) => void;
  #waiting: Waiting | null = null;

  constructor(run: Connection['run'], seen: (seen: Seen) => void) {
    this.#run = run;
    this.#seen = seen;
  }

  now(board: string | null): Promise<Seen> {
    this.#waiting ??= this.#begin();
    if (board !== null) this.#waiting.boards.add(board);
    return this.#waiting.seen;
  }

  #begin(): Waiting {
    const boards = new Set<string>();
    const seen = new Promise<void>((resolve) => setImmediate(resolve)).then(async () => {
      this.#waiting = null;
      const { rows } = await this.#run<Row>(text, [[...boards]]);
      const [first, ...ofBoards] = rows;
      const found: Seen = {
        epoch: first?.epoch ?? '',
        version: first?.version ?? 0,
        boards: new Map(ofBoards.map((row) => [row.board ?? '', row.board_version])),
      };
      this.#seen(found);
      return found;
    });
    return { boards, seen };
  }
}
