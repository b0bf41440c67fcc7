import { afterAll, describe, expect, it } from 'vitest';
import { type ExclusiveTx, exclusiveCommand } from '../../src/core/storage/command.ts';
import { statement } from '../../src/core/storage/query.ts';
import { listLeaderboardScores } from '../../src/features/scores/operations/leaderboard-scores.ts';
import { resetLeaderboard } from '../../src/features/scores/operations/leaderboard-seasons.ts';
import {
  createLeaderboard,
  listLeaderboards,
  removeLeaderboard,
  updateLeaderboard,
} from '../../src/features/scores/operations/leaderboards.ts';
import { listPlayerScores, removeScore } from '../../src/features/scores/operations/scores.ts';
import { createWebhook } from '../../src/features/webhooks/operations/webhooks.ts';
import { overHttp } from '../support/administration.ts';
import { apiOf } from '../support/api.ts';
import { listen } from '../support/listening-client.ts';
import { refused } from '../support/outcome.ts';
import { randomWallet, startTestServer, type TestPlayer } from '../support/server.ts';
import { openSharedData } from '../support/shared-data.ts';
import { until } from '../support/until.ts';
import { startWebhookReceiver } from '../support/webhook-receiver.ts';

const server = await startTestServer({ WEBHOOK_ALLOW_LOOPBACK: 'on' });
afterAll(server.close);
const api = apiOf(server);
const admin = overHttp(server);

/** A game with a leaderboard `weekly`, and players. */
async function gameOf(count: number, made: object = {}) {
  const { gameId, gameSecret } = await server.createGame();
  await admin.call(createLeaderboard, { gameId, name: 'weekly', ...made });
  const players = await Promise.all(Array.from({ length: count }, () => server.openSession(gameId)));
  return { gameId, gameSecret, players };
}

const set = ({ launcherJwt }: TestPlayer, score: number, more: object = {}) =>
  api.post('/launcher/set-user-score', { launcherJwt, score, leaderboard: 'weekly', ...more });

describe('a leaderboard by name', () => {
  it('accepts scores with a label and metadata, and returns them in every kind of read', async () => {
    const { gameId, players } = await gameOf(1, { labels: ['de', 'fr'] });
    const [ada] = players as [TestPlayer];
    const { launcherJwt, wallet } = ada;
    const metadata = { replay: 'https://replays.example/1', hero: { name: 'Mia' } };
    const { status, body } = await set(ada, 12, { nonce: 'n', label: 'de', metadata });
    expect(status).toBe(200);
    const newScore = {
      _id: expect.any(String),
      nonce: 'n',
      gameId,
      normalizedAddress: wallet,
      score: 12,
      updatedAt: expect.any(Number),
      leaderboard: 'weekly',
      season: 1,
      label: 'de',
      metadata,
    };
    expect(body).toEqual({ success: true, newScore });
    const board = { gameId, leaderboard: 'weekly' };
    const entry = { ...newScore, username: expect.any(String), avatar: expect.any(String) };
    const placed = { success: true, leaderboard: [{ ...entry, position: 1 }] };
    const read = async (path: string, input: object) => (await api.post(path, input)).body;
    expect(await read('/launcher/get-game-scores-leaderboard', board)).toEqual({
      success: true,
      leaderboard: [entry],
    });
    expect(await read('/launcher/get-leaderboard-around', { ...board, wallet })).toEqual(placed);
    const wallets = [randomWallet(), wallet.toUpperCase().replace('0X', '0x')];
    expect(await read('/launcher/get-leaderboard-among', { ...board, wallets })).toEqual(placed);
    for (const label of [undefined, 'de']) {
      const requested = { ...board, label, wallet };
      const { position } = (await read(
        '/launcher/get-users-position-in-game-score-leaderboard',
        requested,
      )) as {
        position: number;
      };
      expect(position).toBe(1);
    }
    const ofFrance = await read('/launcher/get-game-scores-leaderboard', { ...board, label: 'fr' });
    expect(ofFrance).toEqual({ success: true, leaderboard: [] });
    const own = { launcherJwt, leaderboard: 'weekly' };
    expect(await read('/launcher/get-user-score', own)).toEqual({ success: true, score: newScore });
    expect(await read('/launcher/get-user-score', { ...own, nonce: 'x' })).toEqual({
      success: true,
      score: null,
    });
    expect(await read('/launcher/get-user-scores', own)).toMatchObject({
      scores: [{ score: 12, nonce: 'n' }],
    });
    const listed = await admin.call(listPlayerScores, { ...board, wallet });
    expect(listed).toEqual({ total: 1, limit: 50, skip: 0, data: [newScore] });
  });

  it('leaves `default` unchanged: it has separate scores, and its responses do not mention leaderboards', async () => {
    const { gameId, players } = await gameOf(1);
    const [ada] = players as [TestPlayer];
    const { launcherJwt, wallet } = ada;
    await set(ada, 99);
    for (const leaderboard of [undefined, '', 'default']) {
      const { body } = await api.post('/launcher/set-user-score', {
        launcherJwt,
        score: 5,
        nonce: 'n',
        leaderboard,
      });
      const newScore = (body as { newScore: object }).newScore;
      expect(Object.keys(newScore).sort()).toEqual(
        ['_id', 'gameId', 'nonce', 'normalizedAddress', 'score', 'updatedAt'].sort(),
      );
      const read = await api.post('/launcher/get-game-scores-leaderboard', { gameId, leaderboard });
      expect(read.body).toMatchObject({ leaderboard: [{ score: 5, normalizedAddress: wallet }] });
    }
    const around = await api.post('/launcher/get-leaderboard-around', { gameId, wallet });
    expect(around.body).toMatchObject({ leaderboard: [{ score: 5, position: 1 }] });
    const wallets = [wallet];
    const among = await api.post('/launcher/get-leaderboard-among', { gameId, wallets });
    expect(among.body).toEqual(around.body);
    const labelled = api.post('/launcher/set-user-score', { launcherJwt, score: 5, label: 'de' });
    refused(await labelled, 400, 'label_unknown');
  });

  it('keeps the metadata of a score on `default` until it is given others', async () => {
    const { gameId, players } = await gameOf(1);
    const [{ launcherJwt, wallet }] = players as [TestPlayer];
    const setScore = (input: object) =>
      api.post('/launcher/set-user-score', { launcherJwt, nonce: 'n', ...input });
    const { body } = await setScore({ score: 1, metadata: { hero: 'Mia' } });
    expect(body).toMatchObject({ newScore: { score: 1, metadata: { hero: 'Mia' } } });
    await setScore({ score: 2 });
    const entry = { score: 2, normalizedAddress: wallet, metadata: { hero: 'Mia' } };
    const own = await api.post('/launcher/get-user-score', { launcherJwt, nonce: 'n' });
    expect(own.body).toMatchObject({ score: entry });
    const reads = {
      'get-game-scores-leaderboard': {},
      'get-leaderboard-around': { wallet },
      'get-leaderboard-among': { wallets: [wallet] },
    };
    for (const [path, whose] of Object.entries(reads)) {
      const { body } = await api.post(`/launcher/${path}`, { gameId, ...whose });
      expect(body, path).toMatchObject({ leaderboard: [entry] });
    }
    await setScore({ score: 3, metadata: {} });
    const { body: page } = await api.post('/launcher/get-game-scores-leaderboard', { gameId });
    expect(page).toMatchObject({ leaderboard: [{ score: 3, metadata: {} }] });
  });

  it('refuses unknown names, private boards and oversized values with clear errors', async () => {
    const { gameId, gameSecret, players } = await gameOf(1, { public: false, labels: ['de'] });
    const [ada] = players as [TestPlayer];
    const { wallet } = ada;
    await set(ada, 3);
    const weekly = { gameId, leaderboard: 'weekly' };
    const around = (input: object) => api.post('/launcher/get-leaderboard-around', { wallet, ...input });
    refused(await around(weekly), 403, 'leaderboard_private');
    refused(await around({ gameId, leaderboard: 'monthly' }), 400, 'leaderboard_unknown');
    refused(await around({ gameId, season: 1 }), 400, 'season_unknown');
    refused(await around({ gameId: 'none' }), 400, 'game_unknown');
    for (const path of ['get-game-scores-leaderboard', 'get-leaderboard-seasons']) {
      refused(await api.post(`/launcher/${path}`, weekly), 403, 'leaderboard_private');
    }
    const wallets = Array.from({ length: 101 }, randomWallet);
    refused(await api.post('/launcher/get-leaderboard-among', { gameId, wallets }), 400, 'input_invalid');
    const listed = await api.post('/launcher/get-leaderboards', { gameId });
    expect(listed.body).toEqual({ success: true, leaderboards: [] });
    refused(await set(ada, 1, { label: 'it' }), 400, 'label_unknown');
    refused(await set(ada, 1, { metadata: { a: 'é'.repeat(520) } }), 400, 'input_invalid');
    refused(await set(ada, 1, { metadata: ['a'] }), 400, 'input_invalid');
    // The player sees the player's own entries, and the game's server all.
    const own = await api.post('/launcher/get-user-score', {
      launcherJwt: ada.launcherJwt,
      leaderboard: 'weekly',
    });
    expect(own.body).toMatchObject({ score: { score: 3 } });
    const headers = { Authorization: `Bearer ${gameSecret}` };
    const byServer = await api.post('/launcher/read-leaderboard', { leaderboard: 'weekly' }, headers);
    expect(byServer.body).toMatchObject({ leaderboard: [{ score: 3, position: 1 }] });
    expect(await admin.call(listLeaderboardScores, weekly)).toMatchObject({ leaderboard: [{ score: 3 }] });
    await admin.call(updateLeaderboard, { ...weekly, public: true });
    expect((await around(weekly)).status).toBe(200);
  });

  it('is refused with a keep rule that conflicts with its entries, a name in use, or an unusable schedule', async () => {
    const { gameId } = await gameOf(0);
    const create = (made: object) => admin.call(createLeaderboard, { gameId, name: 'x', ...made });
    await expect(create({ entries: 'all', keep: 'sum' })).rejects.toThrow('one entry per player');
    await expect(create({ name: 'weekly' })).rejects.toThrow('choose another one');
    await expect(create({ name: 'default' })).rejects.toThrow('choose another one');
    await expect(create({ name: 'Weekly!' })).rejects.toThrow('lowercase');
    await expect(create({ schedule: { cron: '*/5 * * * *' } })).rejects.toThrow('an hour');
    await expect(create({ schedule: { cron: 'every monday' } })).rejects.toThrow('five fields');
    await expect(create({ schedule: { cron: '@daily', timeZone: 'Berlin' } })).rejects.toThrow(
      'Europe/Berlin',
    );
  });

  it('in a batch, is set together with the rest, or not at all', async () => {
    const { gameSecret, players } = await gameOf(1, { keep: 'sum' });
    const [{ launcherJwt, wallet }] = players as [TestPlayer];
    const operation = (score: number, leaderboard: string) => ({
      method: 'setUserScore',
      data: { wallet, score, leaderboard },
    });
    const headers = { Authorization: `Bearer ${gameSecret}` };
    const batch = (...operations: object[]) => api.post('/launcher/batch', { operations }, headers);
    const failed = await batch(operation(1, 'weekly'), operation(2, 'monthly'));
    expect(failed.status).toBe(400);
    const passed = await batch(operation(1, 'weekly'), operation(2, 'weekly'));
    expect(passed.status).toBe(200);
    const { body } = await api.post('/launcher/get-user-score', { launcherJwt, leaderboard: 'weekly' });
    expect(body).toMatchObject({ score: { score: 3 } });
  });
});

describe('a season', () => {
  it('ended by an administrator is kept and announced to followers and webhooks, and its scores can still be removed', async () => {
    await using receiver = await startWebhookReceiver();
    const { gameId, players } = await gameOf(2);
    const [ada, bob] = players as [TestPlayer, TestPlayer];
    const { secret } = await admin.call(createWebhook, {
      gameId,
      url: receiver.url,
      filter: 'event-callbacks',
    });
    receiver.secrets.push(secret);
    using listening = listen({ url: server.url, launcherJwt: ada.launcherJwt });
    await listening.client.ready();
    await listening.client.subscribe();
    await set(ada, 1);
    await until('the rows', () =>
      listening.received.some(({ name }) => name === 'named-leaderboards patched'),
    );
    const patched = listening.received.find(({ name }) => name === 'named-leaderboards patched');
    expect(patched?.record).toMatchObject({
      gameId,
      leaderboard: 'weekly',
      length: 1,
      rows: [{ score: 1, position: 1 }],
    });
    const { body } = await set(bob, 2);
    const { season } = await admin.call(resetLeaderboard, { gameId, leaderboard: 'weekly' });
    expect(season).toBe(2);
    const again = await admin.call(resetLeaderboard, { gameId, leaderboard: 'weekly', season: 1 });
    expect(again.season).toBe(2);
    const ended = { gameId, leaderboard: 'weekly', season: 1, nextSeason: 2, nextSeasonEndsAt: null };
    await until('the end', () => listening.received.some(({ name }) => name === 'leaderboard-seasons ended'));
    expect(listening.received.find(({ name }) => name === 'leaderboard-seasons ended')?.record).toMatchObject(
      ended,
    );
    await until('the empty board', () =>
      listening.received.some(
        ({ name, record }) => name === 'named-leaderboards patched' && Object(record).length === 0,
      ),
    );
    const isTold = ({ type }: { type: string }) => type === 'leaderboard_seasons.ended';
    await until('the webhook', () => receiver.received.some(isTold));
    expect(receiver.received.find(isTold)?.data).toMatchObject(ended);
    const seasons = await api.post('/launcher/get-leaderboard-seasons', { gameId, leaderboard: 'weekly' });
    expect(seasons.body).toMatchObject({ seasons: [{ season: 1 }] });
    const first = { gameId, leaderboard: 'weekly', season: 1 };
    const place = { ...first, wallet: ada.wallet };
    const position = async () =>
      (await api.post('/launcher/get-users-position-in-game-score-leaderboard', place)).body;
    expect(await position()).toMatchObject({ position: 2 });
    const scoreId = (body as { newScore: { _id: string } }).newScore._id;
    await admin.call(removeScore, { gameId, scoreId });
    expect(await position()).toMatchObject({ position: 1 });
    await admin.call(removeLeaderboard, { gameId, leaderboard: 'weekly' });
    expect((await admin.call(listLeaderboards, { gameId })).leaderboards).toEqual([]);
    refused(await api.post('/launcher/get-game-scores-leaderboard', first), 400, 'leaderboard_unknown');
  });

  it('ended by the game’s server ends once, however often it is requested', async () => {
    const { gameSecret } = await gameOf(0);
    const headers = { Authorization: `Bearer ${gameSecret}` };
    const end = (season: number) =>
      api.post('/launcher/end-leaderboard-season', { leaderboard: 'weekly', season }, headers);
    const answers = await Promise.all(Array.from({ length: 20 }, () => end(1)));
    for (const { status, body } of answers)
      expect([status, body]).toEqual([200, { success: true, season: 2 }]);
    refused(await end(3), 400, 'season_unknown');
    refused(
      await api.post('/launcher/end-leaderboard-season', { leaderboard: 'weekly', season: 1 }),
      401,
      'secret_required',
    );
  });

  it('that a score names is the only one it counts in', async () => {
    const { gameId, gameSecret, players } = await gameOf(1);
    const [ada] = players as [TestPlayer];
    const { launcherJwt, wallet } = ada;
    const headers = { Authorization: `Bearer ${gameSecret}` };
    const first = await set(ada, 5, { season: 1, idempotencyKey: 'first' });
    expect(first.body).toMatchObject({ newScore: { score: 5, season: 1 } });
    refused(await set(ada, 6, { season: 2 }), 400, 'season_unknown');
    refused(await set(ada, 6, { season: 1, leaderboard: 'default' }), 400, 'season_unknown');
    refused(await set(ada, 6, { season: '1' }), 400, 'input_invalid');
    await api.post('/launcher/end-leaderboard-season', { leaderboard: 'weekly', season: 1 }, headers);

    const late = { score: 7, leaderboard: 'weekly', season: 1 };
    refused(await set(ada, 7, { season: 1 }), 400, 'season_ended');
    refused(await api.post('/launcher/set-user-score', { ...late, wallet }, headers), 400, 'season_ended');
    const batch = await api.post('/launcher/batch', {
      launcherJwt,
      operations: [
        { method: 'setUserScore', data: { ...late, season: 2 } },
        { method: 'setUserScore', data: late },
      ],
    });
    refused(batch, 400, 'season_ended');
    // It was accepted before the end, so its repetition has the same response.
    expect((await set(ada, 5, { season: 1, idempotencyKey: 'first' })).body).toEqual(first.body);
    const board = { gameId, leaderboard: 'weekly' };
    expect((await api.post('/launcher/get-game-scores-leaderboard', board)).body).toMatchObject({
      leaderboard: [],
    });
    expect((await set(ada, 8, { season: 2 })).body).toMatchObject({ newScore: { score: 8, season: 2 } });
    expect((await set(ada, 9, { season: null })).body).toMatchObject({ newScore: { score: 9, season: 2 } });
  });

  it('that was due while the server was down ends once after the restart', async () => {
    await using shared = await openSharedData();
    const settings = { DATA_DIR: shared.path };
    const before = await startTestServer(settings);
    const gameId = await shared.createGame();
    const schedule = { cron: '0 0 * * *', timeZone: 'Europe/Berlin' };
    const { leaderboard } = await overHttp(before).call(createLeaderboard, {
      gameId,
      name: 'daily',
      schedule,
    });
    expect(leaderboard.seasonEndsAt).toBeGreaterThan(Date.now());
    await before.close();
    await shared.db.write(makeDue, gameId);
    await using after = await startTestServer(settings);
    const seasonsOf = () =>
      apiOf(after).post('/launcher/get-leaderboard-seasons', { gameId, leaderboard: 'daily' });
    await until('the end', async () => Object((await seasonsOf()).body).seasons.length === 1);
    const [now] = (await overHttp(after).call(listLeaderboards, { gameId })).leaderboards;
    expect(now).toMatchObject({ season: 2 });
    expect(now?.seasonEndsAt).toBeGreaterThan(Date.now());
  });
});

const makeDue = exclusiveCommand('makeDue', function* (tx: ExclusiveTx, gameId: string) {
  const late = statement<{ gameId: string }>(
    'UPDATE leaderboards SET next_end_at = 1000 WHERE game_id = @gameId',
  );
  yield* tx.run(late, { gameId });
});
