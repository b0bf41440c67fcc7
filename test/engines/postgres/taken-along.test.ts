import pg from 'pg';
import { expect, test } from 'vitest';
import { streamOf } from '../../../src/core/events/stream.ts';
import { lockGame } from '../../../src/core/events/stream-locks.ts';
import type { Owner } from '../../../src/core/schemas/owner.ts';
import { command } from '../../../src/core/storage/command.ts';
import { PostgresDatabase } from '../../../src/engines/postgres/postgres-database.ts';
import { recordActivity } from '../../../src/features/activities/commands.ts';
import { activities } from '../../../src/features/activities/tables.ts';
import { games } from '../../../src/features/games/tables.ts';
import { setScore } from '../../../src/features/scores/commands.ts';
import { domain } from '../../../src/server/declarations/domain.ts';
import { addGame, addPlayer } from '../../contracts/storage/fixture.ts';
import { startForwarder } from '../../support/forwarder.ts';
import { noPostgres } from '../../support/postgres.ts';
import { freshSchema } from '../../support/postgres-schema.ts';
import { until } from '../../support/until.ts';

test.skipIf(noPostgres !== null)(
  'a batch that waits for a stream takes along what is queued meanwhile, in order, up to the first that needs more',
  async () => {
    await using database = await freshSchema();
    const nodes = await Promise.all([1, 2].map(() => PostgresDatabase.open(database.url, domain)));
    const [node, other] = nodes;
    if (!node || !other) throw new Error('there are no nodes');
    const { id: gameId } = await addGame(node);
    const player = await addPlayer(node, gameId);
    const record = (label: string) => node.write(recordActivity, player, { label, eventId: 'key' });
    // The other node has written the stream last, and each knows its own row of the game's storage.
    await record('first of this node');
    await other.write(recordActivity, player, { label: 'first', eventId: 'key' });

    const holder = new pg.Client({ connectionString: database.url });
    await holder.connect();
    try {
      const stream = streamOf.game(gameId);
      await holder.query('BEGIN');
      await holder.query('SELECT 1 FROM streams WHERE name = $1 FOR UPDATE', [stream]);
      const { batches } = await node.counts();
      const writes: Promise<unknown>[] = [record('0')];
      await until('the batch waits', async () => {
        const { rows } = await holder.query(
          `SELECT count(*)::int AS waiting FROM pg_locks WHERE NOT granted AND transactionid IS NOT NULL`,
        );
        return rows[0]?.waiting > 0;
      });
      for (let n = 1; n <= 20; n++) writes.push(record(`${n}`));
      writes.push(node.write(setScore, player, 7)); // its stream is not locked
      for (let n = 21; n <= 25; n++) writes.push(record(`${n}`));
      const madeWith = writes.map(async (write) => {
        await write;
        return (await node.counts()).batches - batches;
      });
      await holder.query('COMMIT');
      const all = await Promise.all(madeWith);
      expect(all).toEqual([...Array.from({ length: 21 }, () => 1), ...Array.from({ length: 6 }, () => 2)]);
      const { rows } = await holder.query(
        `SELECT e.seq::int AS seq, e.record::json->>'label' AS label FROM events AS e JOIN streams AS s ON s.id = e.stream_id
          WHERE s.name = $1 ORDER BY e.seq`,
        [stream],
      );
      expect(rows.slice(2)).toEqual(Array.from({ length: 26 }, (_, n) => ({ seq: n + 3, label: `${n}` })));
    } finally {
      await holder.end();
      for (const db of nodes) await db.close();
    }
  },
);

/** Of a table whose rows are cached. */
const readName = command('readName', function* (tx, { gameId }: Owner, _id: string) {
  const [, game] = yield* tx.all(lockGame(tx, gameId), tx.get(games, gameId));
  return game?.name;
});
const rename = command('rename', function* (tx, { gameId }: Owner, _id: string, name: string) {
  const game = yield* tx.get(games, gameId);
  if (game) tx.put(games, { ...game, name });
});
/** Of a table whose rows are not cached. */
const readLabel = command('readLabel', function* (tx, { gameId }: Owner, id: string) {
  const [, activity] = yield* tx.all(lockGame(tx, gameId), tx.get(activities, id));
  return activity?.label;
});
const relabel = command('relabel', function* (tx, _: Owner, id: string, label: string) {
  const activity = yield* tx.get(activities, id);
  if (activity) tx.put(activities, { ...activity, label });
});

test.skipIf(noPostgres !== null)(
  'a command that is taken along sees what another node has committed before it was queued',
  async () => {
    await using database = await freshSchema();
    const url = new URL(database.url);
    await using forwarder = await startForwarder(Number(url.port));
    url.port = String(forwarder.port);
    const node = await PostgresDatabase.open(url.href, domain);
    const other = await PostgresDatabase.open(database.url, domain);
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    try {
      const { id: gameId } = await addGame(node);
      const player = await addPlayer(node, gameId);
      // The other node has a lane from now on, so this one reads and locks rows.
      const { _id } = await other.write(recordActivity, player, { label: 'old', eventId: 'key' });
      for (const [read, change, transactions] of [
        [readName, rename, 1],
        [readLabel, relabel, 2], // a row that is neither locked nor cached must be read again
      ] as const) {
        const readOnNode = () => node.write(read, player, _id);
        await readOnNode();
        const { batches } = await node.counts();
        const passOn = forwarder.hold();
        const first = readOnNode();
        await until('the first has locked and read', async () => {
          const { rows } = await client.query(
            `SELECT 1 FROM pg_stat_activity AS a JOIN pg_locks AS l ON l.pid = a.pid AND l.relation = 'streams'::regclass
              WHERE a.datname = current_database() AND a.state = 'idle in transaction'`,
          );
          return rows.length > 0;
        });
        await other.write(change, player, _id, 'new');
        const second = readOnNode();
        passOn();
        await first;
        expect(await second).toBe('new');
        expect((await node.counts()).batches - batches).toBe(transactions);
      }
    } finally {
      await client.end();
      for (const db of [node, other]) await db.close();
    }
  },
);

/** Records an activity, and another one under an id that exists, which only the database notices. */
const recordTwice = command('recordTwice', function* (tx, player: Owner, id: string) {
  const activity = yield* recordActivity(tx, player, { label: 'twice', eventId: 'key' });
  tx.insert(activities, {
    ...player,
    id,
    type: 'off-chain',
    label: '',
    eventId: 'key',
    timestamp: activity.timestamp,
  });
});

test.skipIf(noPostgres !== null)(
  'a command that the database refuses fails alone, however much is queued behind it meanwhile',
  async () => {
    await using database = await freshSchema();
    const nodes = await Promise.all([1, 2].map(() => PostgresDatabase.open(database.url, domain)));
    const [node] = nodes;
    if (!node) throw new Error('there is no node');
    const { id: gameId } = await addGame(node);
    const player = await addPlayer(node, gameId);
    const record = () => node.write(recordActivity, player, { label: 'one', eventId: 'key' });
    const { _id } = await record();
    const { retries } = await node.counts();
    const others: Promise<unknown>[] = [];
    const feeding = setInterval(() => others.push(record()), 2);
    const refused = await node.write(recordTwice, player, _id).catch((error: unknown) => error);
    clearInterval(feeding);
    const counts = await node.counts();
    const outcomes = await Promise.allSettled(others);
    for (const db of nodes) await db.close();
    expect(refused).toMatchObject({ code: '23505' });
    expect(outcomes.filter(({ status }) => status === 'rejected')).toEqual([]);
    expect(outcomes.length).toBeGreaterThan(10);
    // As often with what it took along as by itself.
    expect(counts.retries - retries).toBe(24);
  },
);
