import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { MarkCache } from '../../src/engines/sqlite/mark-cache.ts';
import { openDatabase } from '../../src/engines/sqlite/open-database.ts';
import { type RankKey, RankMarks } from '../../src/engines/sqlite/rank-marks.ts';
import { board } from '../../src/features/scores/tables.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

/**
 * One row in four is a mark, and one in four of those is of the next level, so that a few dozen rows have every level.
 */
const endings = ['0', '00', '000'];
const boardId = 1;

const rowToAdd = fc.record({
  sort_score: fc.integer({ min: -3, max: 3 }),
  reached_at: fc.nat(2),
  score_id: fc.stringMatching(/^[0-3]{6}$/),
});
type Step = { add: RankKey } | { remove: number } | { rebuild: true };
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 12, arbitrary: rowToAdd.map((add) => ({ add })) },
  { weight: 5, arbitrary: fc.nat().map((remove) => ({ remove })) },
  { weight: 1, arbitrary: fc.constant<Step>({ rebuild: true }) },
);

const counts = { steps: 0, places: 0, marks: 0 };
afterAll(() => {
  process.stdout.write(
    `ranking: ${counts.places} places compared with a sort after ${counts.steps} random steps, over ${counts.marks} marks\n`,
  );
});

test.each([
  ['by statements', (marks: RankMarks) => marks],
  ['in memory', (marks: RankMarks) => new MarkCache(marks)],
])('counted %s, every row and every place matches a sort of the rows', async (_how, holding) => {
  await using directory = await temporaryDirectory();
  const db = openDatabase(join(directory.path, 'gantry.db'));
  db.pragma('synchronous = OFF'); // counting is what is tested; each step would wait for the disk several times
  const add = db.prepare(
    'INSERT INTO board (stream_id, board_id, sort_score, reached_at, score_id) VALUES (?, ?, ?, ?, ?)',
  );
  const remove = db.prepare('DELETE FROM board WHERE score_id = ?');
  const from = db
    .prepare<[number, number, string, number, number], string>(
      `SELECT score_id FROM board WHERE (sort_score, reached_at, score_id) >= (?, ?, ?)
       ORDER BY sort_score, reached_at, score_id LIMIT ? OFFSET ?`,
    )
    .pluck();
  fc.assert(
    fc.property(fc.array(step, { minLength: 40, maxLength: 160, size: 'max' }), (steps) => {
      db.exec('DELETE FROM board; DELETE FROM board_marks');
      const marks = new RankMarks(db, board, endings);
      marks.begin(boardId);
      const counting = holding(marks);
      const written = () => counting instanceof MarkCache && counting.flush();
      let rows: RankKey[] = [];
      let nextStream = 1;
      for (const one of steps) {
        if ('add' in one) {
          if (rows.some((row) => row.score_id === one.add.score_id)) continue;
          const { sort_score, reached_at, score_id } = one.add;
          add.run(nextStream++, boardId, sort_score, reached_at, score_id);
          counting.added(boardId, one.add);
          rows = [...rows, one.add].sort(byRank);
        } else if ('remove' in one) {
          const [gone] = rows.splice(one.remove % Math.max(1, rows.length), 1);
          if (!gone) continue;
          remove.run(gone.score_id);
          counting.removed(boardId, gone);
        } else {
          marks.rebuild(boardId);
          if (counting instanceof MarkCache) counting.forget();
        }
        written();
        counts.steps++;
        expect(rows.map((row) => marks.before(boardId, row))).toEqual(rows.map((_, place) => place));
        const places = Array.from({ length: rows.length + 2 }, (_, place) => place);
        const found = places.map((place) => {
          const { from: mark, skip } = marks.near(boardId, place);
          return from.all(mark.sort_score, mark.reached_at, mark.score_id, 2, skip);
        });
        expect(found).toEqual(places.map((place) => ids(rows.slice(place, place + 2))));
        counts.places += rows.length;
      }
      counts.marks += db.prepare<[], number>('SELECT count(*) FROM board_marks').pluck().get() ?? 0;
    }),
    { numRuns: 15 },
  );
  db.close();
});

const ids = (rows: readonly RankKey[]) => rows.map((row) => row.score_id);

function byRank(a: RankKey, b: RankKey): number {
  return a.sort_score - b.sort_score || a.reached_at - b.reached_at || (a.score_id < b.score_id ? -1 : 1);
}
