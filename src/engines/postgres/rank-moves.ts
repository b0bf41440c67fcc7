import type { Entry } from '../../core/storage/rows.ts';
import type { AnyRow, AnyTable } from '../../core/storage/table.ts';
import { codeOf } from '../../runtime/error-code.ts';
import { type ArrayColumn, arrays, columnArrays } from './array-columns.ts';
import type { Connection } from './connection.ts';

/** Runs statements: a connection or a pool of them. */
export type Runner = Pick<Connection, 'run'>;

interface Key {
  readonly score: number;
  readonly reachedAt: number;
  readonly id: string;
}

/** A row of a board has changed its key, or was added or removed. */
interface Move {
  readonly board: string;
  /** The number of the move within the batch. */
  readonly place: number;
  readonly before: Key | undefined;
  readonly after: Key | undefined;
}

const moveColumns: readonly ArrayColumn<Move>[] = [
  { type: 'uuid', of: ({ board }) => board },
  { type: 'int', of: ({ place }) => place },
  { type: 'double precision', of: ({ before }) => before?.score ?? null },
  { type: 'bigint', of: ({ before }) => before?.reachedAt ?? null },
  { type: 'uuid', of: ({ before }) => before?.id ?? null },
  { type: 'double precision', of: ({ after }) => after?.score ?? null },
  { type: 'bigint', of: ({ after }) => after?.reachedAt ?? null },
  { type: 'uuid', of: ({ after }) => after?.id ?? null },
];

/** Takes the square root of −1, which fails the transaction, if a board was re-ranked since `generation`. */
const movesText = `WITH moved AS (INSERT INTO board_moves
    SELECT u.board, $9::int, $10::bigint, u.i, u.os, u.oa, u.oi, u.ns, u.na, u.ni
    FROM unnest(${arrays(moveColumns)}) AS u(board, i, os, oa, oi, ns, na, ni)),
  seen AS (INSERT INTO board_versions AS v SELECT unnest($11::uuid[]), $9::int, 1
    ON CONFLICT (board_id, lane) DO UPDATE SET version = v.version + 1)
  SELECT sqrt((SELECT count(*) FROM ranking WHERE generation = coalesce($12::bigint, generation)) - 1) AS held`;
/** PostgreSQL's code of the square root of a negative number. */
const rankingErrorCode = '2201F';

/** A board was re-ranked since the batch began: nothing was written. */
class RankingChanged extends Error {
  readonly code = '40001';
}

/** A batch that writes a ranked table. */
interface RankedBatch {
  readonly lane: number;
  readonly n: number;
  /** How many moves it has sent so far. */
  readonly from: number;
  /** The ranking generation that it has read; null: it is exclusive. */
  readonly generation: number | null;
}

/** Appends what a batch changes on boards (`board_moves`), for `RankCounts`. */
export class RankMoves {
  /** Boards known to have a row in `boards`. */
  readonly #knownBoards = new Set<string>();

  /**
   * Sends the moves of these entries, which were sent before; returns how many. Fails the transaction if a board was
   * re-ranked since `generation`.
   */
  record(
    sent: Promise<unknown>[],
    connection: Runner,
    { name, ranked }: AnyTable,
    entries: readonly Entry[],
    { lane, n, from, generation }: RankedBatch,
  ): number {
    if (!ranked) throw new Error('the table is not ranked');
    const [score = '', reachedAt = '', id = ''] = ranked.order;
    const keyOf = (row: AnyRow): Key => ({
      score: Number(row[score]),
      reachedAt: Number(row[reachedAt]),
      id: String(row[id]),
    });
    const boards = new Set<string>();
    const moves: Move[] = [];
    for (const { row, stored } of entries) {
      if (row === stored) continue;
      const board = String((row ?? stored)?.[ranked.group]);
      boards.add(board);
      const [before, after] = [stored && keyOf(stored), row && keyOf(row)];
      if (before && after && isSame(before, after)) continue;
      moves.push({ board, place: from + moves.length, before, after });
    }
    if (boards.size === 0) return 0;
    this.ensureBoards(sent, connection, name, [...boards]);
    const values = [...columnArrays(moves, moveColumns), lane, n, [...boards].sort(), generation];
    sent.push(
      connection.run(movesText, values).catch((error) => {
        throw codeOf(error) === rankingErrorCode ? new RankingChanged('a board was re-ranked') : error;
      }),
    );
    return moves.length;
  }

  /** Call this after a rollback, which may have undone the insertion of boards. */
  forgetBoards(): void {
    this.#knownBoards.clear();
  }

  /** Registers the boards of a table that are not known to be registered. */
  ensureBoards(sent: Promise<unknown>[], connection: Runner, table: string, boards: readonly string[]): void {
    const unknown = boards.filter((board) => !this.#knownBoards.has(board)).sort();
    if (unknown.length === 0) return;
    sent.push(
      connection.run(
        'INSERT INTO boards (id, game_id, ranked) SELECT u, u, $2 FROM unnest($1::uuid[]) AS u ON CONFLICT DO NOTHING',
        [unknown, table],
      ),
    );
    for (const board of unknown) this.#knownBoards.add(board);
  }
}

function isSame(one: Key, other: Key): boolean {
  return one.score === other.score && one.reachedAt === other.reachedAt && one.id === other.id;
}
