import { query, type Read, type ReadSteps, statement } from '../../../core/storage/query.ts';
import type { RankedRows } from '../../../core/storage/ranked-rows.ts';
import type { AnyTable, Value } from '../../../core/storage/table.ts';
import { leaderboardEntries } from '../../scores/leaderboard-tables.ts';
import { type PrizeRunRow, prizeRuns } from '../../scores/prize-tables.ts';
import { rankedUnder, ruleOf, type Winner } from './prize-run.ts';

/** The ids of the oldest runs, except those of archived games. */
export const openPrizeRuns = query('openPrizeRuns', function* (read, limit: number): ReadSteps<string[]> {
  return (yield* read.all(openRuns, { limit })).map(({ id }) => id);
});

const openRuns = statement<{ limit: number }, { id: string }>(
  `SELECT r.id FROM prize_runs AS r JOIN games AS g ON g.id = r.game_id
   WHERE g.listing <> 'archived' ORDER BY r.id LIMIT @limit`,
);

/** A run and its next players, by place; null if it has ended. */
export const readPrizeRun = query('readPrizeRun', function* (read, runId: string, limit: number): ReadSteps<{
  run: PrizeRunRow;
  winners: Winner[];
} | null> {
  return yield* read.inOneView(function* () {
    const run = yield* read.get(prizeRuns, runId);
    if (!run) return null;
    const rows = yield* entriesAfter(read, run, limit);
    const { gameId } = run;
    const winners = rows.map((row, index) => ({ ...row, runId, gameId, place: run.place + index }));
    return { run, winners };
  });
});

/** The entries from a run's next place onwards. */
function* entriesAfter(read: Read, run: PrizeRunRow, limit: number): ReadSteps<readonly EntryAtPlace[]> {
  const rule = ruleOf(run);
  const last = rule.seasonEnd?.places.to ?? 0;
  const group = rankedUnder(run, rule);
  const boardId = yield* read.groupKey(leaderboardEntries, group);
  if (boardId === null) return [];
  const atMost = Math.min(limit, last - run.place + 1);
  if (run.scoreId !== null) {
    const { sortScore: score, reachedAt, scoreId: id } = run;
    return yield* read.all(entriesBehind, { boardId, score, reachedAt, id, limit: atMost });
  }
  return yield* read.fromPlace(rankedEntries, { group, place: run.place - 1, limit: atMost });
}

type EntryAtPlace = Omit<Winner, 'runId' | 'gameId' | 'place'>;

/** Entries and their players. `rows`: a SELECT of some of them. */
const entriesOf = (
  rows: string,
  also = '',
) => `SELECT ${also}s.wallet, b.entry, b.score_id AS "scoreId", b.sort_score AS "sortScore", b.reached_at AS "reachedAt"
  FROM (${rows}) AS b
  JOIN streams AS s ON s.id = b.stream_id
  ORDER BY b.sort_score, b.reached_at, b.score_id`;

const rankedEntries: RankedRows<EntryAtPlace> = { table: leaderboardEntries as AnyTable, select: entriesOf };

const entriesBehind = statement<
  Record<'boardId' | 'score' | 'reachedAt' | 'id' | 'limit', Value>,
  EntryAtPlace
>(
  entriesOf(`SELECT stream_id, entry, score_id, sort_score, reached_at FROM leaderboard_entries
    WHERE board_id = @boardId AND (sort_score, reached_at, score_id) > (@score, @reachedAt, @id)
    ORDER BY sort_score, reached_at, score_id LIMIT @limit`),
);
