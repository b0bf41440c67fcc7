import { setImmediate as nextTurn } from 'node:timers/promises';
import { Client } from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import type { Owner } from '../../../src/core/schemas/owner.ts';
import {
  PostgresDatabase,
  type PostgresDatabaseOptions,
} from '../../../src/engines/postgres/postgres-database.ts';
import {
  claimSoleWriter,
  openLane,
  releaseLane,
  renewLane,
} from '../../../src/engines/postgres/write-lane.ts';
import { registerGame } from '../../../src/features/games/commands.ts';
import { createChannel } from '../../../src/features/messages/channel-commands.ts';
import { sendMessage, unsendMessage } from '../../../src/features/messages/message-commands.ts';
import { endSession, startSession } from '../../../src/features/sessions/commands.ts';
import { findSession } from '../../../src/features/sessions/queries.ts';
import { domain } from '../../../src/server/declarations/domain.ts';
import { noPostgres } from '../../support/postgres.ts';
import { freshSchema } from '../../support/postgres-schema.ts';
import { randomWallet } from '../../support/server.ts';

interface Scene {
  url: string;
  sender: Owner;
  channel: string;
  open(options?: PostgresDatabaseOptions): Promise<PostgresDatabase>;
}

/** A channel of two, in a database that no node uses. */
async function channelOfTwo(): Promise<Scene> {
  const database = await freshSchema();
  const opened = new Set<PostgresDatabase>();
  onTestFinished(async () => {
    await Promise.all([...opened].map((db) => db.close()));
    await database[Symbol.asyncDispose]();
  });
  const open = async (options?: PostgresDatabaseOptions) => {
    const db = await PostgresDatabase.open(database.url, domain, options);
    opened.add(db);
    return db;
  };
  const db = await open();
  const { id: gameId } = await db.write(
    registerGame,
    { name: 'One' },
    { hash: 'h', sealedMd5: '', sealedSecret: '' },
  );
  const [sender, other] = [randomWallet(), randomWallet()].map((wallet) => ({ gameId, wallet }));
  if (!sender || !other) throw new Error('no players');
  for (const player of [sender, other]) await db.write(startSession, player, 1e9);
  const { _id: channel } = await db.write(createChannel, sender, [other.wallet]);
  await db.close();
  opened.delete(db);
  return { url: database.url, sender, channel, open };
}

const say = ({ sender, channel }: Scene, db: PostgresDatabase, text: string) =>
  db.write(sendMessage, sender, channel, text);

async function rowsIn<Row extends object>(url: string, text: string): Promise<Row[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(text)).rows;
  } finally {
    await client.end();
  }
}

/** The channel's count, and its actual rows; missing and duplicate event positions. */
async function kept({ url, channel }: Scene) {
  const [found] = await rowsIn<{ count: string; messages: string; texts: string }>(
    url,
    `SELECT message_count AS count, (SELECT count(*) FROM messages) AS messages,
        (SELECT count(DISTINCT content) FROM messages) AS texts FROM message_channels WHERE id = '${channel}'`,
  );
  const gaps = await rowsIn(
    url,
    `SELECT s.name, s.seq, count(e.seq) AS events FROM streams AS s LEFT JOIN events AS e ON e.stream_id = s.id
      GROUP BY s.id HAVING count(e.seq) <> s.seq - s.first_seq + 1`,
  );
  return {
    count: Number(found?.count),
    messages: Number(found?.messages),
    texts: Number(found?.texts),
    gaps,
  };
}

const all = (count: number) => ({ count, messages: count, texts: count, gaps: [] });

test.skipIf(noPostgres !== null)('a sole writer does not reload rows that it has written', async () => {
  const scene = await channelOfTwo();
  const db = await scene.open();
  await say(scene, db, 'first');
  const { rounds } = await db.counts();
  for (let n = 0; n < 20; n++) await say(scene, db, `message ${n}`);
  const after = await db.counts();
  expect(after.rounds).toBe(rounds);
  expect(after).toMatchObject({ retries: 0, lanesLost: 0 });
  expect(await kept(scene)).toEqual(all(21));
});

test.skipIf(noPostgres !== null)(
  'a sole writer sees what another node has written since, and keeps its lane',
  async () => {
    const scene = await channelOfTwo();
    const one = await scene.open();
    for (let n = 0; n < 3; n++) await say(scene, one, `one ${n}`);
    const other = await scene.open();
    for (let n = 0; n < 3; n++) await say(scene, other, `other ${n}`);
    await say(scene, one, 'one again');
    expect(await one.counts()).toMatchObject({ retries: 1, lanesLost: 0 });
    for (let n = 0; n < 5; n++) {
      await say(scene, other, `other, in turn ${n}`);
      await say(scene, one, `one, in turn ${n}`);
    }
    expect(await one.counts()).toMatchObject({ retries: 1, lanesLost: 0 });
    expect(await other.counts()).toMatchObject({ retries: 0, lanesLost: 0 });
    expect(await kept(scene)).toEqual(all(17));
  },
);

test.skipIf(noPostgres !== null)(
  'nodes that start and stop beside a sole writer under load lose nothing and duplicate nothing',
  async () => {
    const scene = await channelOfTwo();
    let said = 0;
    let retries = 0;
    for (let round = 0; round < 12; round++) {
      const one = await scene.open();
      await say(scene, one, `first ${said++}`);
      let isOver = false;
      const writing = Array.from({ length: 4 }, async () => {
        while (!isOver) await say(scene, one, `one ${said++}`);
      });
      const other = await scene.open();
      await Promise.all(Array.from({ length: 20 }, () => say(scene, other, `other ${said++}`)));
      await other.close();
      isOver = true;
      await Promise.all(writing);
      retries += (await one.counts()).retries;
      await one.close();
    }
    expect(retries).toBeGreaterThan(0);
    expect(await kept(scene)).toEqual(all(said));
  },
);

test.skipIf(noPostgres !== null)('a row that a sole writer has deleted is not found again', async () => {
  const scene = await channelOfTwo();
  const db = await scene.open();
  const { _id: message } = await say(scene, db, 'not for long');
  await db.write(unsendMessage, scene.sender, message);
  await expect(db.write(unsendMessage, scene.sender, message)).rejects.toThrow('There is no such message');
  expect(await kept(scene)).toMatchObject({ messages: 0, gaps: [] });
});

test.skipIf(noPostgres !== null)(
  'a lane is the sole writer while no other lane is in use; lanes abandoned for a minute are taken from their owners',
  async () => {
    await using database = await freshSchema();
    const owners = () =>
      rowsIn<{ lane: number; owned: boolean; sole: boolean }>(
        database.url,
        'SELECT lane, owner IS NOT NULL AS owned, sole_writer AS sole FROM write_lanes ORDER BY lane',
      );
    const first = await openLane(database.url, 'first');
    expect(first.place.isSoleWriter).toBe(true);
    const second = await openLane(database.url, 'second');
    expect(second.place.isSoleWriter).toBe(false);
    expect(await owners()).toEqual([
      { lane: 0, owned: true, sole: false },
      { lane: 1, owned: true, sole: false },
    ]);
    expect(await claimSoleWriter(first)).toBe(false);
    await rowsIn(
      database.url,
      "UPDATE write_lanes SET seen_at = seen_at - interval '61 seconds' WHERE lane = 1",
    );
    expect(await claimSoleWriter(first)).toBe(true);
    expect(await owners()).toEqual([
      { lane: 0, owned: true, sole: true },
      { lane: 1, owned: false, sole: false },
    ]);
    expect(await renewLane(second)).toBe(false);
    for (const lane of [first, second]) await releaseLane(lane);
  },
);

test.skipIf(noPostgres !== null)(
  'a sole writer sees its own changes, and those of a node that joins, once they are acknowledged',
  async () => {
    const scene = await channelOfTwo();
    const { wallet } = scene.sender;
    const stale: string[] = [];
    for (let round = 0; round < 4; round++) {
      const one = await scene.open({ writesInThread: round % 2 === 0 });
      const read = async (id: string) => (await one.read(findSession, id))?.session.endedAt ?? null;
      const { session: own } = await one.write(startSession, scene.sender, 1e9);
      const { session: others } = await one.write(startSession, scene.sender, 1e9);
      expect(await Promise.all([own, others].map(({ id }) => read(id)))).toEqual([null, null]);
      await one.write(endSession, wallet, own.id);
      if ((await read(own.id)) === null) stale.push(`own change, round ${round}`);
      let isOver = false;
      const keepingLease = (async () => {
        while (!isOver) {
          await read(others.id);
          await nextTurn();
        }
      })();
      const other = await scene.open();
      await other.write(endSession, wallet, others.id);
      if ((await read(others.id)) === null) stale.push(`the other's change, round ${round}`);
      isOver = true;
      await keepingLease;
      await Promise.all([one, other].map((db) => db.close()));
    }
    expect(stale).toEqual([]);
  },
);
