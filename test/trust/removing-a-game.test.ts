import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { recordActivity } from '../../src/features/activities/commands.ts';
import { listActivities } from '../../src/features/activities/queries.ts';
import { deleteGame, updateGame } from '../../src/features/administration/operations/games.ts';
import { listGames } from '../../src/features/games/operations/games.ts';
import { findGame, findGameBySlug } from '../../src/features/games/queries.ts';
import { createChannel } from '../../src/features/messages/channel-commands.ts';
import { sendMessage } from '../../src/features/messages/message-commands.ts';
import { notifyPlayer } from '../../src/features/notifications/commands.ts';
import { findPlayer } from '../../src/features/players/queries.ts';
import { playNodes } from '../../src/features/playtime/tables.ts';
import { enqueueActions } from '../../src/features/queue/commands.ts';
import { defaultBoardOf } from '../../src/features/scores/board-rows.ts';
import { setScore } from '../../src/features/scores/commands.ts';
import { readBoardPage } from '../../src/features/scores/leaderboard-queries.ts';
import { findSession } from '../../src/features/sessions/queries.ts';
import { addWebhook } from '../../src/features/webhooks/commands.ts';
import { createWebhook } from '../../src/features/webhooks/operations/webhooks.ts';
import { newWebhookSecret } from '../../src/features/webhooks/webhook-secret.ts';
import { tables } from '../../src/server/declarations/tables.ts';
import { type AdminWay, overHttp } from '../support/administration.ts';
import { post } from '../support/http.ts';
import { connectLauncher } from '../support/launcher.ts';
import { rowsIn } from '../support/rows-in.ts';
import { startTestServer, type TestPlayer, type TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';

let server: TestServer;
let admin: AdminWay;
beforeEach(async () => {
  server = await startTestServer();
  admin = overHttp({ url: server.url, adminToken: server.adminToken });
});
afterEach(() => server.close());

/** A game with something in every table that players fill. */
async function filledGame(slug = `game-${randomUUID()}`) {
  const { gameId, gameSecret } = await server.createGame({ slug });
  const [ada, bob] = [await server.openSession(gameId), await server.openSession(gameId)];
  const { db } = server.services;
  const { box } = server;
  for (let score = 1; score <= 3; score++) await db.write(setScore, ada, score, `nonce-${score}`);
  await db.write(setScore, bob, 9);
  await post(`${server.url}/launcher/set-state`, {
    launcherJwt: ada.launcherJwt,
    label: 'save',
    state: '{"a":1}',
  });
  await post(`${server.url}/launcher/track-game-sessions`, {
    launcherJwt: bob.launcherJwt,
    sessionId: randomUUID(),
    state: '{}',
  });
  await db.write(recordActivity, ada, { label: 'won', eventId: 'win' });
  await db.write(notifyPlayer, bob, { message: 'Hello', type: 'success' });
  const { _id: channelId } = await db.write(createChannel, ada, [bob.wallet]);
  await db.write(sendMessage, ada, channelId, 'Good evening');
  const action = { kind: 'chain', lane: '1:0x', type: 'IssueToken', payload: {} };
  await db.write(enqueueActions, [{ ...action, gameId, wallet: ada.wallet }]);
  const sealedSecret = box.seal(newWebhookSecret());
  await db.write(addWebhook, { gameId, url: 'https://hooks.example/', filter: 'all', sealedSecret });
  await post(`${server.url}/launcher/set-user-score`, {
    launcherJwt: ada.launcherJwt,
    score: 4,
    idempotencyKey: 'once',
  });
  return { gameId, gameSecret, slug, ada, bob };
}

/** The number of rows in every table. */
async function counts(): Promise<Record<string, number>> {
  const found: Record<string, number> = {};
  const names = tables.map(({ name }) => name).filter((name) => name !== playNodes.name); // of no game
  for (const name of [...names, 'streams', 'events']) {
    const [row] = await rowsIn(server.services.db, `SELECT count(*) AS count FROM ${name}`, {});
    found[name] = z.object({ count: z.int() }).parse(row).count;
  }
  return found;
}

const callAs = ({ launcherJwt }: TestPlayer) =>
  post(`${server.url}/launcher/set-user-score`, { launcherJwt, score: 5 });

test('an archived game refuses all its players, keeps its data, and can be reopened', async () => {
  const { gameId, gameSecret, slug, ada, bob } = await filledGame();
  const { gameId: launcherId } = await server.createGame({ name: 'Shell', kind: 'launcher' });
  const shell = await server.openSession(launcherId, bob.wallet);
  using launcher = await connectLauncher(server.url, { launcherJwt: ada.launcherJwt });
  await admin.call(updateGame, { gameId, listing: 'archived' });

  await until('the end', () => launcher.received.some(({ record }) => record.endReason === 'game_archived'));
  await until('the disconnection', () => !launcher.socket.connected);
  const refusal = { code: 403, data: { reason: 'game_archived' } };
  expect((await callAs(ada)).body).toMatchObject(refusal);
  const asServer = { Authorization: `Bearer ${gameSecret}` };
  const byServer = { wallet: ada.wallet, score: 5 };
  expect((await post(`${server.url}/launcher/set-user-score`, byServer, asServer)).body).toMatchObject(
    refusal,
  );
  const signIn = { wallet: ada.wallet, gameId };
  expect((await post(`${server.url}/launcher/create-unverified-channel`, signIn)).body).toMatchObject(
    refusal,
  );
  const opening = { launcherJwt: shell.launcherJwt, gameId };
  expect((await post(`${server.url}/launcher/open-channel-session`, opening)).body).toMatchObject(refusal);
  await expect(connectLauncher(server.url, { launcherJwt: ada.launcherJwt })).rejects.toThrow(/archived/);

  const { body: listed } = await post(`${server.url}/launcher/get-games`, { slug });
  expect(listed).toMatchObject({ total: 0 });
  expect(
    (await post(`${server.url}/scores`, { gameId }, { 'X-Service-Method': 'getGameScoresLeaderboard' })).body,
  ).toMatchObject({
    leaderboard: [{ score: 9 }, { score: 4 }],
  });

  await admin.call(updateGame, { gameId, listing: 'listed' });
  expect((await callAs(ada)).body).toMatchObject({ data: { reason: 'session_ended' } });
  const again = await post(`${server.url}/launcher/open-channel-session`, opening);
  expect(again.status).toBe(200);
});

test('an unlisted game is found by its slug only, and played as before; order and image are in the list', async () => {
  const { gameId, slug, ada } = await filledGame();
  const second = await server.createGame({ name: 'Second' });
  await admin.call(updateGame, { gameId, order: 7, image: 'https://cdn.example/a.png' });
  const games = async (input: object) =>
    ((await post(`${server.url}/launcher/get-games`, input)).body as { data: { gameId: string }[] }).data;
  expect((await games({})).map((game) => game.gameId)).toEqual([second.gameId, gameId]);
  await admin.call(updateGame, { gameId, order: -1 });
  expect(await games({})).toMatchObject([
    { gameId, image: 'https://cdn.example/a.png' },
    { gameId: second.gameId, image: '' },
  ]);
  await admin.call(updateGame, { gameId, listing: 'unlisted' });
  expect((await games({})).map((game) => game.gameId)).toEqual([second.gameId]);
  expect(await games({ slug })).toMatchObject([{ gameId }]);
  expect((await callAs(ada)).status).toBe(200);
});

test('deleting requires the slug, removes everything of the game and nothing of others', async () => {
  const kept = await filledGame();
  const { db } = server.services;
  const before = await counts();
  const gone = await filledGame();
  await expect(admin.call(deleteGame, { gameId: gone.gameId, confirm: kept.slug })).rejects.toThrow(
    /must be the slug/,
  );
  expect(await db.read(findGame, gone.gameId)).not.toBeNull();
  using launcher = await connectLauncher(server.url, { launcherJwt: gone.bob.launcherJwt });

  await admin.call(deleteGame, { gameId: gone.gameId, confirm: gone.slug });

  await until('the end', () => launcher.received.some(({ record }) => record.endReason === 'game_deleted'));
  expect(await db.read(findGame, gone.gameId)).toBeNull();
  expect(await db.read(findGameBySlug, gone.slug)).toBeNull();
  expect(await db.read(findSession, gone.ada.sessionId)).toBeNull();
  expect(await db.read(readBoardPage, defaultBoardOf(gone.gameId), { limit: 10, skip: 0 })).toEqual([]);
  expect((await db.read(listActivities, { gameId: gone.gameId }, { limit: 10, skip: 0 })) ?? []).toEqual([]);
  const { audit_log: _before, ...others } = before;
  const { audit_log: _after, ...left } = await counts();
  expect(left).toEqual({ ...others, players: (before.players ?? 0) + 2 });
  expect((await callAs(gone.ada)).body).toMatchObject({ data: { reason: 'token_invalid' } });
  expect(await db.read(findPlayer, gone.ada.wallet)).not.toBeNull();

  expect((await callAs(kept.ada)).status).toBe(200);
  const board = await db.read(readBoardPage, defaultBoardOf(kept.gameId), { limit: 10, skip: 0 });
  expect(board.map(({ score }) => score)).toEqual([9, 5]);
  // The slug is free again.
  const { gameId } = await server.createGame({ slug: gone.slug });
  await db.write(setScore, { gameId, wallet: gone.ada.wallet }, 1);
  expect(await db.read(readBoardPage, defaultBoardOf(gameId), { limit: 10, skip: 0 })).toHaveLength(1);
});

test('an interrupted deletion is shown, cannot be undone, and continues when it is requested again', async () => {
  const before = await counts();
  const gone = await filledGame();
  const { db } = server.services;
  const { eraseGameData } = await import('../../src/features/administration/game-eraser.ts');
  let writes = 0;
  const failing = new Proxy(db, {
    get: (target, name) =>
      name === 'write'
        ? (...args: Parameters<typeof db.write>) => {
            if (++writes === 12) throw new Error('the process ends here');
            return target.write(...args);
          }
        : Reflect.get(target, name).bind(target),
  });
  await expect(eraseGameData(failing, tables, gone.gameId, 0)).rejects.toThrow('ends here');
  const listed = { gameId: gone.gameId, listing: 'archived', deleting: true };
  expect((await admin.call(listGames, {})).games).toEqual([expect.objectContaining(listed)]);
  const refused = 'This game is being deleted';
  await expect(admin.call(updateGame, { gameId: gone.gameId, listing: 'listed' })).rejects.toThrow(refused);
  const webhook = { gameId: gone.slug, url: 'https://example.com/events' };
  await expect(admin.call(createWebhook, webhook)).rejects.toThrow(refused);
  await admin.call(deleteGame, { gameId: gone.gameId, confirm: gone.slug });
  const { audit_log: _before, ...others } = before;
  const { audit_log: _after, ...left } = await counts();
  expect(left).toEqual({ ...others, players: (before.players ?? 0) + 2 });
  await expect(admin.call(deleteGame, { gameId: gone.gameId, confirm: gone.slug })).rejects.toThrow(
    'There is no game',
  );
});
