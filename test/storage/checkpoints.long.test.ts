import { readFileSync, statSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { Owner } from '../../src/core/schemas/owner.ts';
import type { Database } from '../../src/core/storage/database.ts';
import type { LogCopier } from '../../src/engines/sqlite/checkpoints.ts';
import { createChannel } from '../../src/features/messages/channel-commands.ts';
import { sendMessage, unsendMessage } from '../../src/features/messages/message-commands.ts';
import { setScore } from '../../src/features/scores/commands.ts';
import { saveState } from '../../src/features/states/commands.ts';
import { listGameStates, listPlayerStates } from '../../src/features/states/queries.ts';
import { addGame, addPlayer } from '../contracts/storage/fixture.ts';
import { holdView } from '../support/other-connection.ts';
import { until } from '../support/until.ts';
import { openGroupCommit } from './group-commit-under-test.ts';
import { openThreadedDatabase } from './threaded-database-under-test.ts';

const mebibyte = 1024 * 1024;
const unlimited = Number.POSITIVE_INFINITY;
const state = JSON.stringify('x'.repeat(mebibyte / 2));

describe('a database that writes in a separate thread', () => {
  test('checkpoints the log while it keeps writing, and restarts it', async () => {
    await using fixture = await openThreadedDatabase();
    const { db, file } = fixture;
    const ada = await addPlayer(db, (await addGame(db)).id);
    const sizes: number[] = [];
    for (let n = 0; n < 300; n++) {
      await db.write(saveState, ada, `state ${n}`, state, 'bafk', unlimited);
      sizes.push(logBytes(file));
    }
    expect(Math.max(...sizes)).toBeLessThan(100 * mebibyte);
    expect(await statesOf(db, ada)).toBe(300);
  });

  test('truncates the log once a reader that let it grow is gone, without losing anything', async () => {
    await using fixture = await openThreadedDatabase();
    const { file } = fixture;
    const { db } = fixture;
    const ada = await addPlayer(db, (await addGame(db)).id);
    const reader = holdView(file);
    let written = 0;
    while (logBytes(file) < 200 * mebibyte)
      await db.write(saveState, ada, `state ${written++}`, state, 'bafk', unlimited);
    reader[Symbol.dispose]();
    await until('the log is short', async () => {
      await db.write(saveState, ada, `state ${written++}`, state, 'bafk', unlimited); // a write restarts it
      return logBytes(file) <= 64 * mebibyte;
    });
    expect(await statesOf(db, ada)).toBe(written);
    expect(await statesOf(await fixture.reopen(), ada)).toBe(written);
  });

  test('truncates what a killed process has left', async () => {
    await using fixture = await openThreadedDatabase();
    const { file } = fixture;
    const ada = await addPlayer(fixture.db, (await addGame(fixture.db)).id);
    using reader = holdView(file); // keeps the log from being emptied when the database is closed
    for (let n = 0; logBytes(file) < 130 * mebibyte; n++) {
      await fixture.db.write(saveState, ada, `state ${n}`, state, 'bafk', unlimited);
    }
    const db = await fixture.reopen();
    expect(logBytes(file)).toBeGreaterThan(128 * mebibyte);
    reader.letGo();
    await until('the log is short', async () => {
      await db.write(setScore, ada, 1);
      return logBytes(file) <= 64 * mebibyte;
    });
  });

  test('leaves nothing of an unsent message in its files, once a reader that let the log grow is gone', async () => {
    await using fixture = await openThreadedDatabase();
    const { db, file } = fixture;
    const { id: gameId } = await addGame(db);
    const ada = await addPlayer(db, gameId);
    const bob = await addPlayer(db, gameId);
    const { _id: channelId } = await db.write(createChannel, ada, [bob.wallet]);
    const { _id: messageId } = await db.write(sendMessage, ada, channelId, 'canary-in-a-message');
    const isInFiles = () =>
      [file, `${file}-wal`].some((each) => readFileSync(each).includes('canary-in-a-message'));
    expect(isInFiles()).toBe(true);
    const reader = holdView(file);
    for (let n = 0; logBytes(file) < 150 * mebibyte; n++) {
      await db.write(saveState, ada, `state ${n}`, state, 'bafk', unlimited);
    }
    await db.write(unsendMessage, ada, messageId);
    reader[Symbol.dispose]();
    await until('nothing of it is left', () => !isInFiles()); // there are no more writes
  });
});

describe('the log, with a checkpointing thread', () => {
  test('grows by half of what is to be checkpointed, and no further, until it is', async () => {
    const requested = Promise.withResolvers<void>();
    const copied = Promise.withResolvers<boolean>();
    const copier: LogCopier = {
      copy() {
        requested.resolve();
        return copied.promise;
      },
      close: async () => undefined,
    };
    await using subject = await openGroupCommit({ copier });
    let isAsked = false;
    requested.promise.then(() => {
      isAsked = true;
    });
    while (!isAsked) await subject.addBytes(mebibyte);
    const begunAt = logBytes(subject.file);
    expect(begunAt).toBeGreaterThan(30 * mebibyte);
    let held: Promise<unknown> | undefined;
    for (let n = 0; n < 30 && !held; n++) {
      const write = subject.addBytes(mebibyte);
      const isAnswered = await Promise.race([write.then(() => true), delay(3_000, false)]);
      if (!isAnswered) held = write;
    }
    expect(held).toBeDefined();
    expect(logBytes(subject.file)).toBeGreaterThan(begunAt + 10 * mebibyte); // so it was held back, and not merely slow
    expect(logBytes(subject.file)).toBeLessThan(begunAt + 20 * mebibyte);
    copied.resolve(true);
    await held;
  });

  test('is checkpointed by the writer when the thread cannot', async () => {
    await using subject = await openGroupCommit({
      copier: { copy: async () => false, close: async () => undefined },
    });
    for (let n = 0; n < 200; n++) await subject.addBytes(mebibyte);
    expect(logBytes(subject.file)).toBeLessThan(64 * mebibyte);
    expect(subject.rows()).toHaveLength(200);
  });
});

function logBytes(file: string): number {
  return statSync(`${file}-wal`).size;
}

/** How many states a player has, each of them as written. */
async function statesOf(db: Database, owner: Owner): Promise<number> {
  const { total } = await db.read(listGameStates, { gameId: owner.gameId }, { limit: 1, skip: 0 });
  for (let skip = 0; skip < total; skip += 20) {
    const listed = await db.read(listPlayerStates, owner, { limit: 20, skip });
    expect(listed.every((each) => each.json === state)).toBe(true);
  }
  return total;
}
