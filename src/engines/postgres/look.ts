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
 * Whether what is remembered still holds: read after it was asked, so that what another node has answered before is seen;
 * and once for all who ask in one turn of the event loop, or while the look before theirs is under way. So the busier a
 * node is, the more of its calls share a look.
 */
export class Look {
  readonly #run: Connection['run'];
  readonly #seen: (seen: Seen) => void;
  #waiting: Waiting | null = null;
  /** Until when the next look waits: it ends with the look under way, however that ends. */
  #underWay: Promise<void> | null = null;

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
    const before = this.#underWay ?? new Promise<void>((resolve) => setImmediate(resolve));
    const seen = before.then(async () => {
      this.#waiting = null;
      const looking = this.#look([...boards]);
      const ended = looking.then(
        () => {},
        () => {},
      );
      this.#underWay = ended;
      try {
        return await looking;
      } finally {
        if (this.#underWay === ended) this.#underWay = null;
      }
    });
    return { boards, seen };
  }

  async #look(boards: readonly string[]): Promise<Seen> {
    const { rows } = await (boards.length > 0
      ? this.#run<Row>(boardsText, [boards])
      : this.#run<Row>(historyText));
    const [first, ...ofBoards] = rows;
    const found: Seen = {
      epoch: first?.epoch ?? '',
      version: first?.version ?? 0,
      boards: new Map(ofBoards.map((row) => [row.board ?? '', row.board_version])),
    };
    this.#seen(found);
    return found;
  }
}
