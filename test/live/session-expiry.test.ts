import { expect, test } from 'vitest';
import { startSession } from '../../src/features/sessions/commands.ts';
import { findSession } from '../../src/features/sessions/queries.ts';
import { SessionExpiry } from '../../src/transports/live/session-expiry.ts';
import { randomWallet, startTestServer } from '../support/server.ts';
import { until } from '../support/until.ts';

test('a session whose end could not be written ends when it can be', async () => {
  await using server = await startTestServer();
  const { db } = server.services;
  const { gameId } = await server.createGame();
  const { session } = await db.write(startSession, { gameId, wallet: randomWallet() }, 100);
  const errors: unknown[] = [];
  let isFull = true;
  const failing: Pick<typeof db, 'now' | 'read' | 'write'> = {
    now: () => db.now(),
    read: (...query) => db.read(...query),
    write: async (...command) => {
      if (!isFull) return db.write(...command);
      isFull = false;
      throw new Error('the disk is full');
    },
  };
  const services = {
    db: failing,
    track: (work: Promise<unknown>) => void work.catch((error: unknown) => errors.push(error)),
  };
  const expiry = new SessionExpiry(session, services, { onEnding: async () => undefined });
  const ended = async () => ((await db.read(findSession, session.id))?.session.endedAt ?? null) !== null;
  await until('the end', ended);
  expect(errors).toEqual([new Error('the disk is full')]);
  expiry.cancel();
});
