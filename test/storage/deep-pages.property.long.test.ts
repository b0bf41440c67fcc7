import { randomUUID } from 'node:crypto';
import SqliteDatabase from 'better-sqlite3';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { recordActivity } from '../../src/activities/commands.ts';
import { type ActivityFilter, listActivities } from '../../src/activities/queries.ts';
import { PlayerEraser } from '../../src/administration/player-eraser.ts';
import { tables } from '../../src/catalogue/tables.ts';
import { addGame, addPlayer } from '../contracts/storage/fixture.ts';
import { openSqliteDatabase } from './sqlite-database-under-test.ts';

/** The number of activities written before the first step: only distant pages are found from bookmarks. */
const written = 900;

/**
 * `late`: written later, but with an earlier time, as by a process whose clock is behind, among the pages that are read
 * too.
 */
type Step =
  | { record: number; how: 'here' | 'by another process' | 'late' }
  | { pass: number }
  | { read: { filter: number; skip: number; limit: number } }
  | { readOn: true };
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      record: fc.nat(3),
      how: fc.constantFrom('here', 'by another process', 'late'),
    }),
  },
  { weight: 2, arbitrary: fc.record({ pass: fc.nat(2) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      read: fc.record({
        filter: fc.nat(3),
        skip: fc.integer({ min: 450, max: written + 50 }),
        limit: fc.integer({ min: 1, max: 60 }),
      }),
    }),
  },
  { weight: 6, arbitrary: fc.constant<Step>({ readOn: true }) },
);

const counts = { steps: 0, pages: 0, rows: 0 };
afterAll(() => {
  process.stdout.write(
    `deep pages: ${counts.pages} pages of ${counts.rows} rows compared with a sort after ${counts.steps} random steps\n`,
  );
});

test('a page deep in the activities equals that of a sort, whatever is written meanwhile and by whom', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 60, maxLength: 200, size: 'max' }), async (steps) => {
      await using fixture = await openSqliteDatabase();
      const { db, clock } = fixture;
      const [one, two] = [await addGame(db), await addGame(db)];
      const players = await Promise.all([one, one, one, two].map(({ id }) => addPlayer(db, id)));
      const another = await fixture.openOtherProcess();
      const raw = new SqliteDatabase(fixture.file);
      const late = raw.prepare(
        `INSERT INTO activities (id, game_id, wallet, type, label, event_id, timestamp)
         VALUES (?, ?, ?, 'off-chain', 'late', 'e', ?)`,
      );
      const sorted = raw.prepare<[{ gameId: string | null; wallet: string | null }], string>(
        `SELECT id FROM activities WHERE game_id = coalesce(@gameId, game_id) AND wallet = coalesce(@wallet, wallet)
         ORDER BY timestamp DESC, id DESC`,
      );
      const record = async (player: number, how: 'here' | 'by another process' | 'late') => {
        const owner = players[player];
        if (!owner) throw new Error('no such player');
        if (how === 'late')
          late.run(randomUUID(), owner.gameId, owner.wallet, clock.read() - 2 - 40 * player);
        else await (how === 'here' ? db : another).write(recordActivity, owner, { label: 'l', eventId: 'e' });
      };
      const filters: ActivityFilter[] = [
        {},
        { gameId: one.id },
        { gameId: one.id, wallet: players[0]?.wallet },
        { type: 'off-chain' },
      ];
      const compare = async (filter: ActivityFilter, skip: number, limit: number) => {
        const page = await db.read(listActivities, filter, { skip, limit });
        const { gameId = null, wallet = null } = filter;
        const all = sorted.pluck().all({ gameId, wallet }) as string[];
        expect(page.map(({ _id }) => _id)).toEqual(all.slice(skip, skip + limit));
        counts.pages++;
        counts.rows += page.length;
      };
      for (let n = 0; n < written; n++) {
        if (n % 7 === 0) clock.advance(1);
        await record(n % 10 === 0 ? 3 : 0, 'here');
      }
      let last = { filter: 0, skip: 500, limit: 20 };
      for (const [index, each] of steps.entries()) {
        counts.steps++;
        if ('record' in each) await record(each.record, each.how);
        else if ('pass' in each) clock.advance(each.pass);
        else {
          last = 'read' in each ? each.read : { ...last, skip: last.skip + last.limit };
          await compare(filters[last.filter] ?? {}, last.skip, last.limit);
        }
        if (index === 40) {
          await new PlayerEraser(another, tables).erase(players[1]?.wallet ?? '');
          players[1] = await addPlayer(db, one.id);
          await compare({}, 600, 50);
        }
      }
      raw.close();
    }),
    { numRuns: 4, endOnFailure: true },
  );
}, 120_000);
