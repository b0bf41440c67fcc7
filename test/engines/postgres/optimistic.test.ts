import { describe, expect, test } from 'vitest';
import { domain } from '../../../src/catalogue/domain.ts';
import type { OptimisticDatabase } from '../../../src/core/storage/database.ts';
import { PostgresDatabase } from '../../../src/engines/postgres/postgres-database.ts';
import { GantryError } from '../../../src/errors.ts';
import { setScore } from '../../../src/scores/commands.ts';
import { setLeaderboardScore } from '../../../src/scores/leaderboard-score-commands.ts';
import { countScores } from '../../../src/scores/queries.ts';
import { revokeSessionById, startSession } from '../../../src/sessions/commands.ts';
import { findSession } from '../../../src/sessions/queries.ts';
import { addGame, hour } from '../../contracts/storage/fixture.ts';
import { type Answer, post } from '../../support/http.ts';
import { refused } from '../../support/outcome.ts';
import { freshDatabase, noPostgres } from '../../support/postgres.ts';
import { freshSchema } from '../../support/postgres-schema.ts';
import { randomWallet, startTestServer } from '../../support/server.ts';

/** A player with a session, on a node that may be the only one. */
async function scene() {
  const database = await freshSchema();
  const opened: PostgresDatabase[] = [];
  const open = async () => {
    const db = await PostgresDatabase.open(database.url, domain, { writesInThread: true });
    opened.push(db);
    return db;
  };
  const db = await open();
  const { id: gameId } = await addGame(db);
  const player = { gameId, wallet: randomWallet() };
  const { session } = await db.write(startSession, player, hour);
  await db.read(findSession, session.id); // caches it
  return {
    open,
    db,
    player,
    sessionId: session.id,
    begin(): OptimisticDatabase {
      const optimistic = db.beginOptimistic();
      if (!optimistic) throw new Error('the node is not the sole writer');
      return optimistic;
    },
    scores: () => db.read(countScores, player),
    async [Symbol.asyncDispose]() {
      await Promise.all(opened.map((one) => one.close()));
      await database[Symbol.asyncDispose]();
    },
  };
}

describe.skipIf(noPostgres)('an optimistic call of a sole writer', () => {
  test('reads what is cached, writes, and is confirmed', async () => {
    await using at = await scene();
    const call = at.begin();
    expect((await call.read(findSession, at.sessionId))?.session.endedAt).toBeNull();
    expect(call.isConfirmed).toBe(false);
    await call.write(setScore, at.player, 5);
    expect(call.isConfirmed).toBe(true);
    await call.write(setScore, at.player, 6); // as on the database itself
    expect(await at.scores()).toBe(2);
  });

  test('changes nothing when this node has changed what it has read', async () => {
    await using at = await scene();
    const call = at.begin();
    await call.read(findSession, at.sessionId);
    await at.db.write(revokeSessionById, at.sessionId);
    await expect(call.write(setScore, at.player, 5)).rejects.not.toBeInstanceOf(GantryError);
    expect(call.isConfirmed).toBe(false);
    expect(await at.scores()).toBe(0);
    const next = at.begin();
    expect((await next.read(findSession, at.sessionId))?.session.endedAt).not.toBeNull();
  });

  test('changes nothing once another node writes, which it does not know when it begins', async () => {
    await using at = await scene();
    const other = await at.open();
    await other.write(revokeSessionById, at.sessionId);
    const call = at.begin();
    expect((await call.read(findSession, at.sessionId))?.session.endedAt).toBeNull(); // stale
    await expect(call.write(setScore, at.player, 5)).rejects.not.toBeInstanceOf(GantryError);
    expect(call.isConfirmed).toBe(false);
    expect(at.db.beginOptimistic()).toBeNull();
    expect(other.beginOptimistic()).toBeNull();
    expect((await at.db.read(findSession, at.sessionId))?.session.endedAt).not.toBeNull();
    expect(await at.scores()).toBe(0);
  });

  test('is confirmed by the refusal of its command, which was decided at that version', async () => {
    await using at = await scene();
    const call = at.begin();
    const refusal = { reason: 'leaderboard_unknown' };
    await expect(call.write(setLeaderboardScore, at.player, 'none', 5, {})).rejects.toMatchObject(refusal);
    expect(call.isConfirmed).toBe(true);
  });

  test('is not to be had when its database is closed', async () => {
    await using at = await scene();
    await at.db.close();
    expect(at.db.beginOptimistic()).toBeNull();
  });
});

describe.skipIf(noPostgres)('calls to a server that is the sole writer', () => {
  /** A player whose session the server has cached, and another process on the same database. */
  async function playing() {
    const opened = new AsyncDisposableStack();
    const database = opened.use(await freshDatabase());
    const env = { DATABASE_URL: database.url, GANTRY_SECRET_KEY: '5e'.repeat(32), RATE_LIMIT_FACTOR: '1' };
    const server = opened.use(await startTestServer(env));
    const { gameId } = await server.createGame();
    const { launcherJwt, sessionId, wallet } = await server.openSession(gameId);
    const set = (score: number) => post(`${server.url}/launcher/set-user-score`, { launcherJwt, score });
    const answers = [await set(1), await set(2)];
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    const other = await PostgresDatabase.open(database.url, domain);
    opened.defer(() => other.close());
    const scores = () => other.read(countScores, { gameId, wallet });
    return { gameId, sessionId, set, other, scores, [Symbol.asyncDispose]: () => opened.disposeAsync() };
  }

  test('a session revoked by another process has ended at the next write, of which nothing is stored', async () => {
    await using at = await playing();
    await at.other.write(revokeSessionById, at.sessionId);
    refused(await at.set(3), 401, 'session_ended');
    expect(await at.scores()).toBe(2);
  });

  test('a call that is repeated because another process has written counts once against the limit', async () => {
    await using at = await playing();
    const remaining = ({ headers }: Answer) => Number(/r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1]);
    const before = remaining(await at.set(3));
    await at.other.write(startSession, { gameId: at.gameId, wallet: randomWallet() }, hour);
    const repeated = await at.set(4);
    expect([repeated.status, remaining(repeated)]).toEqual([200, before - 1]);
    expect(await at.scores()).toBe(4);
  });

  test('invalid input is refused as on any other', async () => {
    await using database = await freshDatabase();
    await using server = await startTestServer({
      DATABASE_URL: database.url,
      GANTRY_SECRET_KEY: '5e'.repeat(32),
    });
    const { launcherJwt } = await server.openSession((await server.createGame()).gameId);
    const set = (input: object) =>
      post(`${server.url}/launcher/set-user-score`, { launcherJwt, score: 1, ...input });
    expect((await set({})).status).toBe(200);
    refused(await set({ score: 'many' }), 400, 'score_not_integer');
    refused(await set({ leaderboard: 'none' }), 400, 'leaderboard_unknown');
    refused(await set({ label: 'fast' }), 400, 'metadata_not_kept');
    refused(await set({ launcherJwt: 'x' }), 401, 'token_invalid');
  });
});
