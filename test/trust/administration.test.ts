import { afterAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { shortAddress } from '../../src/core/schemas/default-name.ts';
import {
  createAdministrator,
  listAdministrators,
  revokeAdministrator,
  rotateAdministratorToken,
  updateAdministrator,
  whoAmI,
} from '../../src/features/administration/administrators/operations/administrators.ts';
import { beginAudit } from '../../src/features/administration/commands.ts';
import {
  downloadBackup,
  listBackups,
  makeBackup,
  removeBackup,
  setBackupSchedule,
} from '../../src/features/administration/operations/backups.ts';
import { deleteGame, updateGame } from '../../src/features/administration/operations/games.ts';
import {
  listAuditLog,
  listEvents,
  listRefusals,
  listRequests,
} from '../../src/features/administration/operations/logs.ts';
import {
  banPlayer,
  erasePlayer,
  exportPlayer,
  getPlayerDetails,
  listBans,
  unbanPlayer,
} from '../../src/features/administration/operations/players.ts';
import {
  getGameStats,
  getServerStats,
  serverSummary,
} from '../../src/features/administration/operations/server.ts';
import {
  createEvent,
  listGameEvents,
  removeEvent,
  updateEvent,
} from '../../src/features/calendar/operations/calendar.ts';
import { acceptFriend, addFriend, updateFriend } from '../../src/features/friends/commands.ts';
import { listPlayerFriends, removePlayerFriend } from '../../src/features/friends/operations/friends.ts';
import {
  listConfigVersions,
  readConfig,
  rollBackConfig,
  setConfig,
} from '../../src/features/game-config/operations/config-versions.ts';
import {
  listGameSecrets,
  revokeGameSecret,
  rotateGameSecret,
} from '../../src/features/games/operations/game-secrets.ts';
import { createGame, listGames } from '../../src/features/games/operations/games.ts';
import { openGuestSession } from '../../src/features/guests/operations/guests.ts';
import {
  endMaintenance,
  listMaintenance,
  setMaintenance,
} from '../../src/features/maintenance/operations/maintenance.ts';
import { listGameChannels } from '../../src/features/messages/operations/message-channels.ts';
import {
  listMessages,
  listPlayerMessages,
  removeMessage,
} from '../../src/features/messages/operations/messages.ts';
import { mute, muteInChannel } from '../../src/features/moderation/commands.ts';
import { listMutes, mutePlayer, unmutePlayer } from '../../src/features/moderation/operations/mutes.ts';
import {
  getReport,
  listReports,
  resolveReport,
} from '../../src/features/moderation/reports/operations/reports.ts';
import {
  listNewsItems,
  publishNews,
  removeNews,
  updateNews,
} from '../../src/features/news/operations/news.ts';
import { kebabCase } from '../../src/features/operation.ts';
import {
  getPlaySession,
  listPlaySessions,
} from '../../src/features/play-sessions/operations/play-sessions.ts';
import { getPlayerNames, listPlayers, updatePlayer } from '../../src/features/players/operations/players.ts';
import { isBanned } from '../../src/features/players/queries.ts';
import { enqueueActions } from '../../src/features/queue/commands.ts';
import {
  cancelAction,
  getAction,
  listActions,
  retryAction,
} from '../../src/features/queue/operations/actions.ts';
import { publishRelease, removeRelease } from '../../src/features/releases/operations/releases.ts';
import { getRules, setRules, testRules } from '../../src/features/rules/operations/rules.ts';
import { listLeaderboardScores } from '../../src/features/scores/operations/leaderboard-scores.ts';
import {
  listLeaderboardSeasons,
  resetLeaderboard,
} from '../../src/features/scores/operations/leaderboard-seasons.ts';
import {
  createLeaderboard,
  listLeaderboards,
  removeLeaderboard,
  updateLeaderboard,
} from '../../src/features/scores/operations/leaderboards.ts';
import { listPlayerScores, removeScore } from '../../src/features/scores/operations/scores.ts';
import { listScores } from '../../src/features/scores/queries.ts';
import { listSessions, openSession, revokeSession } from '../../src/features/sessions/operations/sessions.ts';
import {
  getPlayerState,
  listStates,
  setPlayerState,
} from '../../src/features/states/operations/player-states.ts';
import {
  createWebhook,
  listWebhookDeliveries,
  listWebhooks,
  removeWebhook,
  replayWebhookDelivery,
  rotateWebhookSecret,
  testWebhook,
  updateWebhook,
} from '../../src/features/webhooks/operations/webhooks.ts';
import { type AdminWay, overCommandLine, overHttp } from '../support/administration.ts';
import { apiOf } from '../support/api.ts';
import { conversationsOn } from '../support/conversations.ts';
import { connectLauncher } from '../support/launcher.ts';
import { accepted, refused } from '../support/outcome.ts';
import { filesWithText } from '../support/raw-search.ts';
import { registry } from '../support/registered.ts';
import { randomWallet, startTestServer } from '../support/server.ts';
import { until } from '../support/until.ts';
import { gantry } from '../support/warm-gantry.ts';
import { startWebhookReceiver } from '../support/webhook-receiver.ts';

const adminToken = 'the-admin-token-of-this-suite';
const toLoopback = { WEBHOOK_ALLOW_LOOPBACK: 'on' };
const server = await startTestServer({ RATE_LIMIT_FACTOR: '1000', ADMIN_TOKEN: adminToken, ...toLoopback });
afterAll(server.close);
const api = apiOf(server);
const conversations = conversationsOn(api);
const anything = z.unknown();

const setScore = async (launcherJwt: string, score: number) =>
  accepted(
    await api.post('/launcher/set-user-score', { launcherJwt, score }),
    z.looseObject({ newScore: z.looseObject({ _id: z.string() }) }),
  ).newScore;

/** The leaderboard as its readers see it: wallets and scores, best first. */
async function leaderboard(gameId: string): Promise<[string, number][]> {
  const answer = await api.post('/launcher/get-game-scores-leaderboard', { gameId });
  const entry = z.looseObject({ normalizedAddress: z.string(), score: z.number() });
  const { leaderboard: rows } = accepted(answer, z.looseObject({ leaderboard: z.array(entry) }));
  return rows.map((row) => [row.normalizedAddress, row.score]);
}

/** New entries of the audit log, oldest first. */
async function auditedDuring(admin: AdminWay, act: () => Promise<unknown>) {
  const { total: before } = await admin.call(listAuditLog, { limit: 0 });
  await act();
  const { total, data } = await admin.call(listAuditLog, { limit: 250 });
  return data.slice(0, total - before).reverse();
}

const ways: [string, AdminWay][] = [
  ['/admin', overHttp({ url: server.url, adminToken })],
  ['gantry admin', overCommandLine(server.config, toLoopback)],
];

// A command is a separate process, and takes half a second of CPU time.
describe.each(ways)('an administrator over %s', (_name, admin) => {
  const newGame = async (policies = {}) =>
    (await admin.call(createGame, { name: 'Space Race', policies })).gameId;
  const newPlayer = (gameId: string) => server.openSession(gameId);

  it.concurrent('registers a game, whose secret works', async () => {
    const slug = `rapids-${admin.actor}`;
    const { gameId, gameSecret, game } = await admin.call(createGame, {
      name: '  Rapids  ',
      slug,
      url: 'https://rapids.example/play',
      allowedOrigins: ['https://rapids.example'],
      policies: { requireSecret: true, limits: { write: { points: 5, seconds: 10 } } },
    });
    expect(game).toEqual({
      gameId,
      slug,
      name: 'Rapids',
      kind: 'game',
      url: 'https://rapids.example/play',
      allowedOrigins: ['https://rapids.example'],
      policies: {
        leaderboard: { keep: 'best', order: 'desc' },
        friends: 'in-game',
        serverOnly: [],
        requireSecret: true,
        scores: 'any',
        requireSignature: 'no',
        oneSessionPerPlayer: false,
        tokenIn: 'query',
        guests: 'allowed',
        limits: { write: { points: 5, seconds: 10 } },
        spending: { transactionsPerDay: 0, transactionsPerPlayerPerDay: 0, tokens: [] },
        wordFilter: { action: 'mask', words: [] },
        storageQuotaMegabytes: null,
        access: null,
        minVersion: null,
      },
      listing: 'listed',
      image: '',
      order: 0,
      deleting: false,
      createdAt: expect.any(Number),
    });
    const { launcherJwt } = await newPlayer(gameId);
    const body = { launcherJwt, score: 1 };
    refused(await api.post('/launcher/set-user-score', body), 401, 'secret_required');
    const headers = { Authorization: `Bearer ${gameSecret}` };
    accepted(await api.post('/launcher/set-user-score', body, headers), anything);
    await expect(admin.call(createGame, { name: 'Rapids', slug })).rejects.toThrow(slug);
  });

  it.concurrent('lists the games, without their secrets', async () => {
    const { gameId, gameSecret, game } = await admin.call(createGame, { name: 'Chess' });
    const { games } = await admin.call(listGames, {});
    expect(games).toContainEqual(game);
    expect(games.filter((one) => one.gameId === gameId)).toHaveLength(1);
    expect(JSON.stringify(games)).not.toContain(gameSecret);
  });

  it.concurrent('changes a game; omitted settings stay, and the players notice immediately', async () => {
    const gameId = await newGame({ requireSignature: 'any' });
    const { launcherJwt } = await newPlayer(gameId);
    refused(await api.post('/launcher/channel-heartbeat', { launcherJwt }), 401, 'signature_required');
    const { game } = await admin.call(updateGame, {
      gameId,
      name: 'Space Race II',
      policies: { requireSignature: 'no', leaderboard: { order: 'asc' } },
    });
    expect(game).toMatchObject({
      name: 'Space Race II',
      slug: expect.stringMatching(/^space-race/),
      policies: { requireSignature: 'no', leaderboard: { keep: 'best', order: 'asc' } },
    });
    accepted(await api.post('/launcher/channel-heartbeat', { launcherJwt }), anything);
    const { game: again } = await admin.call(updateGame, {
      gameId,
      allowedOrigins: ['https://race.example'],
      url: '',
    });
    expect(again).toEqual({ ...game, allowedOrigins: ['https://race.example'], url: '' });
    const foreign = { Origin: 'https://foreign.example' };
    refused(
      await api.post('/launcher/channel-heartbeat', { launcherJwt }, foreign),
      401,
      'origin_not_allowed',
    );
    await expect(admin.call(updateGame, { gameId: 'no-such-game', name: 'X' })).rejects.toThrow('no game');
  });

  it.concurrent('re-ranks a game under another policy', async () => {
    const gameId = await newGame();
    const [ada, grace] = [await newPlayer(gameId), await newPlayer(gameId)];
    for (const score of [30, 10, 20]) await setScore(ada.launcherJwt, score);
    for (const score of [15, 25]) await setScore(grace.launcherJwt, score);
    const rank = async (policy: { keep?: 'best' | 'latest'; order?: 'asc' | 'desc' }) => {
      await admin.call(updateGame, { gameId, policies: { leaderboard: policy } });
      return leaderboard(gameId);
    };
    expect(await leaderboard(gameId)).toEqual([
      [ada.wallet, 30],
      [grace.wallet, 25],
    ]);
    expect(await rank({ order: 'asc' })).toEqual([
      [ada.wallet, 10],
      [grace.wallet, 15],
    ]);
    expect(await rank({ keep: 'latest' })).toEqual([
      [ada.wallet, 20],
      [grace.wallet, 25],
    ]);
    expect(await rank({ order: 'desc' })).toEqual([
      [grace.wallet, 25],
      [ada.wallet, 20],
    ]);
    await setScore(ada.launcherJwt, 26);
    expect(await rank({ keep: 'best' })).toEqual([
      [ada.wallet, 30],
      [grace.wallet, 25],
    ]);
    const position = await api.post('/launcher/get-users-position-in-game-score-leaderboard', {
      gameId,
      wallet: grace.wallet,
    });
    expect(position.body).toEqual({ success: true, position: 2 });
  });

  it.concurrent('removes a score: the next best one counts, and the player is notified', async () => {
    const gameId = await newGame();
    const [ada, grace] = [await newPlayer(gameId), await newPlayer(gameId)];
    await setScore(ada.launcherJwt, 10);
    const cheated = await setScore(ada.launcherJwt, 1_000_000);
    const only = await setScore(grace.launcherJwt, 50);
    using launcher = await connectLauncher(server.url, { launcherJwt: ada.launcherJwt });

    const { data: scores } = await admin.call(listPlayerScores, { gameId, wallet: ada.wallet });
    expect(scores.map(({ score }) => score)).toEqual([1_000_000, 10]);
    await admin.call(removeScore, { gameId, scoreId: cheated._id });
    expect(await leaderboard(gameId)).toEqual([
      [grace.wallet, 50],
      [ada.wallet, 10],
    ]);
    expect((await launcher.waitForEvent('scores removed')).record).toEqual(cheated);
    await admin.call(removeScore, { gameId, scoreId: only._id });
    expect(await leaderboard(gameId)).toEqual([[ada.wallet, 10]]);
    const other = await newGame();
    const [kept] = await server.services.db.read(listScores, ada, { limit: 1, skip: 0 });
    for (const wrong of [
      { gameId, scoreId: cheated._id },
      { gameId: other, scoreId: kept?._id ?? '' },
    ]) {
      await expect(admin.call(removeScore, wrong)).rejects.toThrow('no such score');
    }
  });

  it.concurrent('rotates, lists and revokes the secrets of a game', async () => {
    const { gameId, gameSecret } = await admin.call(createGame, { name: 'Space Race' });
    const { launcherJwt } = await newPlayer(gameId);
    const beat = (secret: string) =>
      api.post('/launcher/channel-heartbeat', { launcherJwt }, { Authorization: `Bearer ${secret}` });
    const rotated = await admin.call(rotateGameSecret, { gameId, graceSeconds: 600 });
    for (const secret of [gameSecret, rotated.gameSecret]) accepted(await beat(secret), anything);
    const { secrets } = await admin.call(listGameSecrets, { gameId });
    expect(secrets.map((secret) => secret.expiresAt === null)).toEqual([true, false]);

    await admin.call(revokeGameSecret, { gameId, fingerprint: secrets[1]?.fingerprint ?? '' });
    refused(await beat(gameSecret), 401, 'secret_invalid');
    accepted(await beat(rotated.gameSecret), anything);
    expect((await admin.call(listGameSecrets, { gameId })).secrets).toEqual([secrets[0]]);
    const gone = { gameId: 'no-such-game' };
    await expect(admin.call(rotateGameSecret, gone)).rejects.toThrow('no game');
    await expect(admin.call(listGameSecrets, gone)).rejects.toThrow('no game');
  });

  it.concurrent('sets and reads the rules of a game, which take effect', async () => {
    const gameId = await newGame();
    expect(await admin.call(getRules, { gameId })).toEqual({ success: true, version: 0, rules: [] });
    const rule = { trigger: 'win', actions: [{ type: 'Notify' as const, message: 'You won' }] };
    const stored = await admin.call(setRules, { gameId, rules: [rule] });
    expect(stored).toMatchObject({ version: 1, rules: [rule] });
    expect(await admin.call(getRules, { gameId })).toEqual(stored);
    const { launcherJwt } = await newPlayer(gameId);
    const answer = await api.post('/launcher/trigger-rules-engine', { launcherJwt, trigger: 'win' });
    expect(answer.body).toMatchObject({ success: true, actions: ['Notify'] });
    await expect(admin.call(setRules, { gameId: 'no-such-game', rules: [] })).rejects.toThrow('no game');
    await expect(admin.call(setRules, { gameId, rules: [], version: 0 })).rejects.toThrow(
      'replace version 0',
    );
    expect(await admin.call(setRules, { gameId, rules: [], version: 1 })).toMatchObject({ version: 2 });
  });

  it.concurrent('dry-runs a trigger: returns the actions it would execute, why not the others, and executes none', async () => {
    const gameId = await newGame();
    const { wallet } = await newPlayer(gameId);
    const rules = [
      {
        trigger: 'win',
        actions: [
          { type: 'Notify' as const, message: 'You won' },
          {
            type: 'UpdateScore' as const,
            ratio: 1,
            conditions: [{ type: 'payload-value-condition' as const, operator: 'gt' as const, value: 5 }],
          },
        ],
      },
    ];
    const tried = await admin.call(testRules, { gameId, wallet, trigger: 'win', value: 5, rules });
    expect(tried.actions).toEqual([
      { rule: 0, action: 0, type: 'Notify', fires: true, why: null },
      { rule: 0, action: 1, type: 'UpdateScore', fires: false, why: expect.stringContaining('5') },
    ]);
    expect(await leaderboard(gameId)).toEqual([]);
    expect(await admin.call(testRules, { gameId, wallet, trigger: 'win' })).toMatchObject({ actions: [] });
  });

  it.concurrent('finds an action, cancels it while it waits, and retries it', async () => {
    const gameId = await newGame();
    const player = await newPlayer(gameId);
    // On a chain this server has no signer for, so that it waits.
    await server.services.db.write(enqueueActions, [
      {
        kind: 'chain',
        lane: '1:0x',
        type: 'IssueToken',
        gameId,
        wallet: player.wallet,
        payload: {},
      },
    ]);
    const { data } = await admin.call(listActions, { gameId, wallet: player.wallet });
    expect(data).toMatchObject([{ type: 'IssueToken', normalizedAddress: player.wallet, attempts: 0 }]);
    const actionId = data[0]?._id ?? '';
    const state = async () => (await admin.call(getAction, { actionId })).action.state;
    expect((await admin.call(cancelAction, { actionId })).action.state).toBe('cancelled');
    expect(await state()).toBe('cancelled');
    expect((await admin.call(listActions, { gameId, state: 'queued' })).data).toEqual([]);
    expect((await admin.call(retryAction, { actionId })).action.state).toBe('queued');
    const gone = { actionId: 'never-was' };
    for (const operation of [getAction, cancelAction, retryAction]) {
      await expect(admin.call(operation, gone)).rejects.toThrow('no action');
    }
  });

  it.concurrent('creates a webhook for a game, inspects its deliveries, and removes it', async () => {
    await using receiver = await startWebhookReceiver();
    const gameId = await newGame();
    const { launcherJwt } = await newPlayer(gameId);
    const { webhook, secret } = await admin.call(createWebhook, { gameId, url: receiver.url });
    const { webhookId } = webhook;
    receiver.secrets.push(secret);
    expect(await admin.call(testWebhook, { webhookId })).toMatchObject({ delivered: true, status: 204 });
    await setScore(launcherJwt, 5);
    const told = await until('notified', () =>
      receiver.received.find(({ type }) => type === 'scores.created'),
    );
    const { data } = await admin.call(listWebhookDeliveries, { webhookId });
    expect(data).toMatchObject([{ deliveryId: told.id, event: 'scores.created' }]);
    await until(
      'written down',
      async () => (await admin.call(listWebhookDeliveries, { webhookId, state: 'confirmed' })).total === 1,
    );
    const rotated = await admin.call(rotateWebhookSecret, { webhookId, overlapSeconds: 0 });
    receiver.secrets = [rotated.secret];
    await admin.call(replayWebhookDelivery, { deliveryId: told.id });
    await until('notified again', () => receiver.received.filter(({ id }) => id === told.id).length === 2);
    const changed = await admin.call(updateWebhook, { webhookId, enabled: false, filter: 'event-callbacks' });
    expect((await admin.call(listWebhooks, { gameId })).webhooks).toEqual([changed.webhook]);
    await admin.call(removeWebhook, { webhookId });
    expect((await admin.call(listWebhooks, { gameId })).webhooks).toEqual([]);
  });

  it.concurrent("sets players' names and pictures, which appear everywhere, and removes both", async () => {
    const gameId = await newGame();
    const player = await newPlayer(gameId);
    await setScore(player.launcherJwt, 5);
    const avatar = 'https://ada.example/me.png';
    const named = await admin.call(updatePlayer, { wallet: player.wallet, username: 'Ada', avatar });
    expect(named).toMatchObject({ wallet: player.wallet, userId: player.userId, username: 'Ada', avatar });
    const shown = async () =>
      Object((await api.post('/launcher/get-game-scores-leaderboard', { gameId })).body).leaderboard[0];
    expect(await shown()).toMatchObject({ username: 'Ada', avatar });
    await admin.call(updatePlayer, { wallet: player.wallet, avatar: '' });
    expect(await shown()).toMatchObject({
      username: 'Ada',
      avatar: `${server.url}/avatars/${player.wallet}.svg`,
    });
    await admin.call(updatePlayer, { wallet: player.wallet, username: '' });
    expect((await shown()).username).toMatch(/^0x[0-9a-f]{4}…[0-9a-f]{4}$/);
  });

  it.concurrent('finds players by game, name and wallet', async () => {
    const gameId = await newGame();
    const [ada, grace] = [await newPlayer(gameId), await newPlayer(gameId)];
    const name = `100%_${admin.actor}`;
    await admin.call(updatePlayer, { wallet: ada.wallet, username: name });
    const found = async (filter: { gameId?: string; search?: string }) =>
      (await admin.call(listPlayers, filter)).data.map((player) => player.wallet);
    expect((await found({ gameId })).toSorted()).toEqual([ada.wallet, grace.wallet].toSorted());
    expect(await found({ search: name.slice(0, 6) })).toEqual([ada.wallet]);
    expect(await found({ search: grace.wallet.slice(0, 30).toUpperCase() })).toEqual([grace.wallet]);
    expect(await found({ search: name.slice(2, -2) })).toEqual([ada.wallet]);
    for (const search of [
      shortAddress(grace.wallet),
      shortAddress(grace.wallet).toUpperCase().replace('0X', '0x'),
      `${grace.wallet.slice(0, 12)}...${grace.wallet.slice(-6)}`,
      `${grace.wallet.slice(0, 20)}…`,
    ]) {
      expect([search, await found({ gameId, search })]).toEqual([search, [grace.wallet]]);
    }
    expect(await found({ gameId, search: `${ada.wallet.slice(0, 20)}…${grace.wallet.slice(-20)}` })).toEqual(
      [],
    );
    expect(await found({ gameId, search: '%' })).toEqual([ada.wallet]);
    expect(await found({ gameId, search: '1_0' })).toEqual([]);
    expect(await found({ gameId, search: '\\' })).toEqual([]);
    const { player } = await admin.call(getPlayerDetails, { wallet: ada.wallet });
    expect(player).toMatchObject({ wallet: ada.wallet, username: name, bans: [], games: [{ gameId }] });
    const exported = await admin.call(exportPlayer, { wallet: ada.wallet });
    expect(exported.records).toContainEqual({
      type: 'players',
      row: expect.objectContaining({ wallet: ada.wallet, username: name }),
    });
    expect(await admin.call(listPlayers, { gameId, limit: 1, skip: 1 })).toMatchObject({
      total: 2,
      limit: 1,
      skip: 1,
      data: [expect.anything()],
    });
  });

  it.concurrent('bans players and unbans them', async () => {
    const gameId = await newGame();
    const player = await newPlayer(gameId);
    const { wallet } = player;
    await admin.call(banPlayer, { wallet, gameId, reason: 'spam' });
    refused(
      await api.post('/launcher/channel-heartbeat', { launcherJwt: player.launcherJwt }),
      401,
      'session_ended',
    );
    await expect(server.openSession(gameId, wallet)).rejects.toMatchObject({ reason: 'player_banned' });
    const banned = async () => (await admin.call(listPlayers, { search: wallet })).data[0]?.bannedFrom;
    expect(await banned()).toEqual([gameId]);
    await admin.call(banPlayer, { wallet });
    await admin.call(banPlayer, { wallet, gameId, reason: 'more spam' });
    expect((await banned())?.toSorted()).toEqual(['', gameId]);
    await admin.call(unbanPlayer, { wallet });
    expect(await banned()).toEqual([gameId]);
    await admin.call(unbanPlayer, { wallet, gameId });
    await server.openSession(gameId, wallet);
    await expect(admin.call(unbanPlayer, { wallet, gameId })).rejects.toThrow('not banned');
    await expect(admin.call(banPlayer, { wallet, gameId: 'no-such-game' })).rejects.toThrow('no game');
  });

  it.concurrent('does not ban players who were never seen', async () => {
    const wallet = randomWallet();
    await expect(admin.call(banPlayer, { wallet })).rejects.toThrow('no player with this wallet');
  });

  it.concurrent('opens, lists and revokes sessions', async () => {
    const gameId = await newGame();
    const wallet = randomWallet();
    const opened = await admin.call(openSession, { gameId, wallet, username: 'Grace' });
    const status = await api.post('/launcher/channel-status', { launcherJwt: opened.launcherJwt });
    expect(status.body).toMatchObject({ exists: true, wallet });
    const listed = async (filter: object) => (await admin.call(listSessions, filter)).data;
    const [session] = await listed({ wallet });
    expect(session).toMatchObject({
      sessionId: opened.sessionId,
      gameId,
      wallet,
      endedAt: null,
      endReason: null,
    });
    expect(await listed({ gameId })).toEqual([session]);
    expect(await listed({ gameId, wallet: randomWallet() })).toEqual([]);
    await admin.call(revokeSession, { sessionId: opened.sessionId });
    expect(await listed({ wallet })).toEqual([
      { ...session, endedAt: expect.any(Number), endReason: 'revoked' },
    ]);
    await expect(admin.call(openSession, { gameId: 'no-such-game', wallet })).rejects.toThrow('no game');
  });

  it.concurrent('moderates message channels: reads any, and unsends any message permanently', async () => {
    const gameId = await newGame();
    const [ada, grace] = [await newPlayer(gameId), await newPlayer(gameId)];
    const channel = await conversations.create(ada, grace);
    const insult = `an insult of ${admin.actor}, to be gone for good`;
    const message = await conversations.send(ada, channel._id, insult);
    const answer = await conversations.send(grace, channel._id, 'please stop');
    using launcher = await connectLauncher(server.url, { launcherJwt: grace.launcherJwt });

    expect((await admin.call(listGameChannels, { gameId })).data).toMatchObject([
      { _id: channel._id, gameId },
    ]);
    expect((await admin.call(listMessages, { channelId: channel._id })).data).toEqual([answer, message]);
    const { data: written } = await admin.call(listPlayerMessages, { wallet: message.senderId });
    expect(written).toEqual([{ ...message, gameId: expect.any(String) }]);
    const { success, ...identity } = await admin.call(removeMessage, { messageId: message._id });
    const { content: _, updatedAt: __, ...kept } = message;
    expect([success, identity]).toMatchObject([true, kept]);
    expect((await launcher.waitForEvent('chat-messages removed')).record).toMatchObject(kept);
    expect(await admin.call(listMessages, { channelId: channel._id })).toMatchObject({
      total: 1,
      data: [answer],
    });
    await until(
      'the words gone from the files',
      () => filesWithText(server.config.dataDirectory, insult).length === 0,
    );
    await expect(admin.call(removeMessage, { messageId: message._id })).rejects.toThrow('no such message');
    await expect(admin.call(listMessages, { channelId: 'none' })).rejects.toThrow('no such message channel');
    await expect(admin.call(listGameChannels, { gameId: 'none' })).rejects.toThrow('no game');
  });

  it.concurrent('mutes a player for a limited time, and unmutes them', async () => {
    const gameId = await newGame();
    const [ada, grace] = [await newPlayer(gameId), await newPlayer(gameId)];
    const channel = await conversations.create(ada, grace);
    const { wallet, launcherJwt } = grace;
    const say = () =>
      api.post('/launcher/send-channel-message', { launcherJwt, channelId: channel._id, content: 'x' });
    await admin.call(mutePlayer, { gameId, wallet, seconds: 3600, reason: 'Spam' });
    expect((await admin.call(listMutes, { gameId })).data).toMatchObject([
      { wallet, channelId: null, mutedBy: 'moderator', reason: 'Spam' },
    ]);
    refused(await say(), 403, 'muted');
    expect(await admin.call(mutePlayer, { gameId, wallet, seconds: 0 })).toEqual({
      success: true,
      until: null,
    });
    expect((await say()).status).toBe(200);
    await expect(admin.call(mutePlayer, { gameId, wallet, seconds: 0 })).rejects.toThrow('no such mute');
    await expect(admin.call(mutePlayer, { gameId: 'none', wallet, seconds: 1 })).rejects.toThrow('no game');
  });

  it.concurrent('ends a mute that the game or the admin of a channel imposed, and no other', async () => {
    const gameId = await newGame();
    const [ada, grace] = [await newPlayer(gameId), await newPlayer(gameId)];
    const { _id: channelId } = await conversations.create(ada, grace);
    const { wallet, launcherJwt } = grace;
    const say = () => api.post('/launcher/send-channel-message', { launcherJwt, channelId, content: 'x' });
    const { db } = server.services;
    await db.write(muteInChannel, ada, channelId, wallet, { seconds: 60, reason: '' });
    await db.write(mute, grace, null, 'server', { seconds: 60, reason: '' });
    await expect(admin.call(unmutePlayer, { gameId, wallet })).rejects.toThrow('no such mute');
    await admin.call(unmutePlayer, { gameId, wallet, mutedBy: 'server' });
    refused(await say(), 403, 'muted');
    await admin.call(unmutePlayer, { gameId, wallet, channelId, mutedBy: 'channel' });
    expect((await say()).status).toBe(200);
    expect((await admin.call(listMutes, { gameId })).total).toBe(0);
    await expect(admin.call(unmutePlayer, { gameId: 'none', wallet })).rejects.toThrow('no game');
  });

  it.concurrent('lists the bans from a game, from all games, and of a player, newest first', async () => {
    const gameId = await newGame();
    const [ada, grace] = [await newPlayer(gameId), await newPlayer(gameId)];
    await admin.call(banPlayer, { gameId, wallet: ada.wallet, reason: 'Bots' });
    await admin.call(banPlayer, { wallet: grace.wallet, reason: 'Fraud' });
    expect((await admin.call(listBans, { gameId })).data).toMatchObject([
      { wallet: ada.wallet, gameId, reason: 'Bots' },
    ]);
    const { data } = await admin.call(listBans, { gameId: '' });
    expect(data.map((ban) => ban.gameId)).toEqual(data.map(() => ''));
    expect(data).toContainEqual(expect.objectContaining({ wallet: grace.wallet, reason: 'Fraud' }));
    expect((await admin.call(listBans, { wallet: grace.wallet })).total).toBe(1);
    const names = await admin.call(getPlayerNames, { wallets: [ada.wallet, `0x${'9'.repeat(40)}`] });
    expect(names.players.map(({ wallet }) => wallet)).toEqual([ada.wallet]);
  });

  it.concurrent('reviews what players have reported, and closes it with a note', async () => {
    const gameId = await newGame();
    const [ada, grace] = [await newPlayer(gameId), await newPlayer(gameId)];
    const channel = await conversations.create(ada, grace);
    const message = await conversations.send(grace, channel._id, 'buy gold');
    const { launcherJwt } = ada;
    const { _id: messageId } = message;
    await api.post('/launcher/report-message', { launcherJwt, messageId, reason: 'spam' });
    const { data } = await admin.call(listReports, { gameId, status: 'open' });
    expect(data).toMatchObject([{ messageId, reporter: ada.wallet, subject: grace.wallet }]);
    const reportId = data[0]?.reportId ?? '';
    expect(await admin.call(getReport, { reportId })).toMatchObject({ report: { message } });
    await admin.call(resolveReport, { reportId, outcome: 'resolved', note: 'Talked to them' });
    expect((await admin.call(getReport, { reportId })).report).toMatchObject({
      status: 'resolved',
      closedBy: admin.actor,
      note: 'Talked to them',
    });
    const again = admin.call(resolveReport, { reportId, outcome: 'dismissed' });
    await expect(again).rejects.toThrow(`resolved by ${admin.actor}`);
    await expect(admin.call(getReport, { reportId: 'none' })).rejects.toThrow('no report');
  });

  it.concurrent('manages the calendar of a game and its maintenance', async () => {
    const gameId = await newGame();
    const event = { gameId, key: 'fair' };
    const startsAt = Date.UTC(2040, 0);
    await admin.call(createEvent, { ...event, startsAt, durationMs: 3_600_000 });
    await admin.call(updateEvent, { ...event, ifVersion: 1, title: 'Fair' });
    const { events } = await admin.call(listGameEvents, { gameId });
    expect(events).toMatchObject([{ key: 'fair', title: 'Fair', version: 2, next: { startsAt } }]);
    await admin.call(removeEvent, event);
    expect(await admin.call(listGameEvents, { gameId })).toEqual({ success: true, events: [] });
    const planned = { gameId, from: startsAt, until: startsAt + 3_600_000, message: 'Moving' };
    await admin.call(setMaintenance, planned);
    expect((await admin.call(listMaintenance, {})).maintenance).toContainEqual(planned);
    await admin.call(endMaintenance, { gameId });
    expect((await admin.call(listMaintenance, {})).maintenance).not.toContainEqual(planned);
  });

  it.concurrent("changes a game's config, and rolls it back", async () => {
    const gameId = await newGame();
    const set = (value: number, ifVersion: number) =>
      admin.call(setConfig, { gameId, changes: [{ key: 'xp', value }], ifVersion, comment: `${value}` });
    await set(1, 0);
    expect(await set(2, 1)).toMatchObject({ version: 2, keys: ['xp'] });
    await expect(set(3, 1)).rejects.toThrow('changes version 1');
    await admin.call(rollBackConfig, { gameId, toVersion: 1, ifVersion: 2 });
    const values = async (version?: number) =>
      (await admin.call(readConfig, { gameId, ...(version && { version }) })).entries.map(
        ({ value }) => value,
      );
    expect([await values(), await values(2)]).toEqual([[1], [2]]);
    const { data } = await admin.call(listConfigVersions, { gameId });
    expect(data).toMatchObject([
      { version: 3, actor: admin.actor, restored: 1 },
      { version: 2, comment: '2', restored: null },
      { version: 1 },
    ]);
  });

  it.concurrent('publishes news and releases, and takes them back', async () => {
    const gameId = await newGame();
    const draft = await admin.call(publishNews, { gameId, title: 'Soon', publishAt: null });
    const { newsId } = draft.item;
    expect((await admin.call(listNewsItems, { gameId, status: 'draft' })).total).toBe(1);
    const change = { newsId, ifVersion: 1, title: 'Now', publishAt: 0 };
    expect((await admin.call(updateNews, change)).item).toMatchObject({ status: 'published', version: 2 });
    await expect(admin.call(updateNews, change)).rejects.toThrow('version 2');
    const listed = async (path: string) => Object((await api.post(`/launcher/${path}`, { gameId })).body);
    expect((await listed('list-news')).news).toMatchObject([{ newsId, title: 'Now' }]);
    await admin.call(removeNews, { newsId });
    expect((await listed('list-news')).news).toEqual([]);
    for (const version of ['1.0', '1.1']) await admin.call(publishRelease, { gameId, version });
    await admin.call(removeRelease, { gameId, version: '1.1' });
    expect((await listed('list-releases')).releases).toMatchObject([{ version: '1.0' }]);
  });

  it.concurrent('manages leaderboards by name, ends their seasons, and reads the results', async () => {
    const gameId = await newGame();
    const ada = await newPlayer(gameId);
    const board = { gameId, leaderboard: 'weekly' };
    const schedule = { cron: '0 0 * * 1', timeZone: 'Europe/Berlin' };
    await admin.call(createLeaderboard, { gameId, name: 'weekly', schedule });
    const { launcherJwt } = ada;
    const set = (score: number) =>
      api.post('/launcher/set-user-score', { launcherJwt, leaderboard: 'weekly', score });
    expect((await set(7)).status).toBe(200);
    expect(await admin.call(resetLeaderboard, board)).toEqual({ success: true, season: 2 });
    expect((await set(3)).status).toBe(200);
    const reached = async (season?: number) =>
      (await admin.call(listLeaderboardScores, { ...board, ...(season !== undefined && { season }) }))
        .leaderboard;
    expect(await reached()).toMatchObject([{ normalizedAddress: ada.wallet, score: 3 }]);
    expect(await reached(1)).toMatchObject([{ normalizedAddress: ada.wallet, score: 7 }]);
    const finished = await admin.call(listLeaderboardSeasons, board);
    expect(finished).toMatchObject({ total: 1, data: [{ season: 1 }] });
    await admin.call(updateLeaderboard, { ...board, schedule: null });
    expect((await admin.call(listLeaderboards, { gameId })).leaderboards).toMatchObject([
      { leaderboard: 'weekly', schedule: null },
    ]);
    const wrong = { ...board, schedule: { cron: 'every day', timeZone: 'UTC' } };
    await expect(admin.call(updateLeaderboard, wrong)).rejects.toThrow('cron expression');
    await admin.call(removeLeaderboard, board);
    expect((await admin.call(listLeaderboards, { gameId })).leaderboards).toEqual([]);
    await expect(admin.call(resetLeaderboard, board)).rejects.toThrow('leaderboard');
  });

  it.concurrent('erases a player, once', async () => {
    const player = await newPlayer(await newGame());
    const { wallet } = player;
    await admin.call(erasePlayer, { wallet });
    expect((await admin.call(listPlayers, { search: wallet })).data).toEqual([]);
    await admin.call(erasePlayer, { wallet }); // until the erasure is complete, repeating it changes nothing
    const { db } = server.services;
    await until('the end of the erasure', async () => !(await db.read(isBanned, player)));
    await expect(admin.call(erasePlayer, { wallet })).rejects.toThrow('no player with this wallet');
  });

  it.concurrent("reads a player's friends without their notes, and ends a friendship", async () => {
    const [ada, grace] = [await newPlayer(await newGame()), await newPlayer(await newGame())];
    const { db } = server.services;
    const request = { wallet: grace.wallet, hasCode: false, message: 'private', gameId: ada.gameId };
    await db.write(addFriend, ada.wallet, request);
    await db.write(acceptFriend, grace.wallet, ada.wallet);
    await db.write(updateFriend, ada.wallet, grace.wallet, { note: 'private' });
    const read = () => admin.call(listPlayerFriends, { wallet: ada.wallet });
    const before = await read();
    expect(before).toMatchObject({
      counts: { friend: 1, sent: 0, received: 0 },
      privacy: { requests: 'everyone' },
      friends: [{ wallet: grace.wallet, state: 'friend' }],
      more: false,
    });
    expect(JSON.stringify(before)).not.toContain('private');
    const pair = { wallet: ada.wallet, friend: grace.wallet };
    await admin.call(removePlayerFriend, pair);
    expect(await read()).toMatchObject({ counts: { friend: 0 }, friends: [] });
    await expect(admin.call(removePlayerFriend, pair)).rejects.toThrow('not friends');
  });

  it.concurrent('is refused an invalid input with the same error, over every interface', async () => {
    const wrong = { gameId: '', wallet: '0xnope', username: 'x'.repeat(41) };
    const body = await api.post('/admin/open-session', wrong, { Authorization: `Bearer ${adminToken}` });
    const { message } = refused(body, 400, 'input_invalid', 'wallet');
    await expect(admin.call(openSession, wrong)).rejects.toThrow(message);
  });

  it("reads players' states and play sessions, and each event as it happens", async () => {
    const gameId = await newGame();
    const ada = await server.openSession(gameId);
    const sessionId = crypto.randomUUID();
    const { cursor } = await admin.call(listEvents, { limit: 0 });
    await setScore(ada.launcherJwt, 7);
    const { launcherJwt, wallet } = ada;
    await api.post('/launcher/set-state', { launcherJwt, label: 'save', state: '{"level":3}' });
    await api.post('/launcher/track-game-sessions', { launcherJwt, sessionId, state: '{"hp":1}' });

    expect(await admin.call(listStates, { gameId })).toMatchObject({
      total: 1,
      data: [{ normalizedAddress: wallet, label: 'save', bytes: 11 }],
    });
    const { state } = await admin.call(getPlayerState, { gameId, wallet, label: 'save' });
    expect(state?.state).toEqual({ level: 3 });
    expect((await admin.call(getPlayerState, { gameId, wallet, label: 'none' })).state).toBeNull();
    const changed = await admin.call(setPlayerState, { gameId, wallet, label: 'save', state: '{"level":4}' });
    expect(changed.newState.state).toEqual({ level: 4 });
    expect((await admin.call(getPlayerState, { gameId, wallet, label: 'save' })).state).toEqual(
      changed.newState,
    );
    expect(await admin.call(listPlaySessions, { gameId, wallet })).toMatchObject({
      total: 1,
      data: [{ sessionId, endTime: null }],
    });
    const { playSession } = await admin.call(getPlaySession, { sessionId });
    expect(playSession).toMatchObject({ sessionId, state: '{"hp":1}' });
    expect((await admin.call(getPlaySession, { sessionId: 'none' })).playSession).toBeNull();

    const { events, ...rest } = await admin.call(listEvents, { after: cursor, limit: 250 });
    const mine = events.filter((event) => event.gameId === gameId);
    expect(mine).toMatchObject([{ name: 'scores created', wallets: [wallet], record: { score: 7 } }]);
    expect(await admin.call(listEvents, { after: rest.cursor })).toMatchObject({ more: false, events: [] });
    const asNumber = { after: Number(cursor), limit: 250 }; // the earlier form of cursors
    expect((await admin.call(listEvents, asNumber)).events.slice(0, events.length)).toEqual(events);
    const { startedAt } = await admin.call(getServerStats, {});
    expect(startedAt === null).toBe(admin.actor === 'cli');
  });

  it('adds administrators, and revokes their roles, tokens and access', async () => {
    const name = `Ada of ${admin.actor}`;
    const { administrator, token } = await admin.call(createAdministrator, { name, role: 'moderator' });
    const { administratorId } = administrator;
    const requested = (path: string, with_: string) =>
      api.post(`/admin/${path}`, { name: 'Orbit' }, { Authorization: `Bearer ${with_}` });
    refused(await requested('create-game', token), 403, 'role_insufficient');
    await admin.call(updateAdministrator, { administratorId, role: 'operator' });
    accepted(await requested('create-game', token), anything);
    const rotated = await admin.call(rotateAdministratorToken, { administratorId });
    refused(await requested('create-game', token), 401, 'admin_token_invalid');
    accepted(await requested('create-game', rotated.token), anything);
    const { administrators } = await admin.call(listAdministrators, {});
    expect(administrators).toContainEqual(expect.objectContaining({ name, role: 'operator' }));
    await admin.call(revokeAdministrator, { administratorId });
    refused(await requested('create-game', rotated.token), 401, 'admin_token_invalid');
    expect(await admin.call(whoAmI, {})).toMatchObject({ name: admin.actor, role: 'owner' });
  });

  it('sees recent calls, nodes and players, and storage use', async () => {
    const gameId = await newGame();
    const { launcherJwt, wallet } = await newPlayer(gameId);
    refused(await api.post('/launcher/get-user-score', { launcherJwt, nonce: 7 }), 400, 'input_invalid');
    const { data } = await admin.call(listRequests, { gameId });
    if (admin.actor === 'cli')
      expect(data).toEqual([]); // no server runs in its process
    else expect(data).toMatchObject([{ operation: 'getUserScore', status: 400, reason: 'input_invalid' }]);
    await newPlayer(gameId);
    await server.openSession(gameId, wallet);
    const { days, calls } = await admin.call(getGameStats, { gameId });
    expect(days).toMatchObject([{ sessions: 3, players: 2 }]);
    expect(calls.reduce((sum, one) => sum + one.refused, 0)).toBe(admin.actor === 'cli' ? 0 : 1);
    const { nodes, today } = await admin.call(serverSummary, {});
    expect(nodes).toHaveLength(admin.actor === 'cli' ? 0 : 1);
    expect(today.sessions).toBeGreaterThanOrEqual(today.players);
  });

  it('deletes a game once its slug is confirmed', async () => {
    const { gameId, game } = await admin.call(createGame, { name: 'Gone' });
    const { launcherJwt } = await newPlayer(gameId);
    await expect(admin.call(deleteGame, { gameId, confirm: 'another' })).rejects.toThrow(game.slug);
    expect(await admin.call(deleteGame, { gameId, confirm: game.slug })).toEqual({ success: true });
    expect((await admin.call(listGames, {})).games.map((one) => one.gameId)).not.toContain(gameId);
    refused(await api.post('/launcher/get-user-score', { launcherJwt }), 401, 'token_invalid');
  });

  it('creates a player without a wallet', async () => {
    const gameId = await newGame();
    const { launcherJwt, deviceSecret } = await admin.call(openGuestSession, { gameId, username: 'Ada' });
    accepted(await api.post('/launcher/set-user-score', { launcherJwt, score: 3 }), anything);
    accepted(await api.post('/launcher/sign-in-guest', { gameId, deviceSecret }), anything);
  });

  it('makes backups, creates download links, schedules and deletes them', async () => {
    const { backup } = await admin.call(makeBackup, {});
    const { path } = await admin.call(downloadBackup, { name: backup.name });
    const answer = await fetch(server.url + path);
    expect((await answer.arrayBuffer()).byteLength).toBe(backup.bytes);
    const { schedule } = await admin.call(setBackupSchedule, { everyHours: 48, keep: 2 });
    expect(schedule).toMatchObject({ everyHours: 48, keep: 2 });
    const listed = await admin.call(listBackups, {});
    expect(listed.backups).toContainEqual(backup);
    expect(listed.schedule).toMatchObject({ everyHours: 48 });
    expect((await admin.call(setBackupSchedule, { everyHours: null })).schedule).toBeNull();
    await admin.call(removeBackup, { name: backup.name });
    expect((await admin.call(listBackups, {})).backups).not.toContainEqual(backup);
  });

  it('appears in the audit log with each change and its outcome, but not with reads', async () => {
    const gameId = await newGame();
    const wallet = randomWallet();
    const entries = await auditedDuring(admin, async () => {
      await admin.call(openSession, { gameId, wallet: wallet.toUpperCase().replace('0X', '0x') });
      await admin.call(listSessions, { wallet });
      await admin.call(getRules, { gameId });
      expect(await admin.call(listRefusals, { reason: 'chain_unavailable' })).toMatchObject({ total: 0 });
      await admin.call(updateGame, { gameId, policies: { requireSecret: true } });
      await expect(admin.call(revokeSession, { sessionId: 'never-was' })).rejects.toThrow();
      await expect(admin.call(updateGame, { gameId: 'no-such-game' })).rejects.toThrow();
      const { gameSecret } = await admin.call(rotateGameSecret, { gameId });
      expect(JSON.stringify(await admin.call(listAuditLog, {}))).not.toContain(gameSecret);
    });
    const { actor } = admin;
    expect(entries).toEqual(
      [
        { operation: 'openSession', input: { gameId, wallet }, outcome: 'ok' },
        { operation: 'updateGame', input: { gameId, policies: { requireSecret: true } }, outcome: 'ok' },
        { operation: 'revokeSession', input: { sessionId: 'never-was' }, outcome: 'session_unknown' },
        { operation: 'updateGame', input: { gameId: 'no-such-game' }, outcome: 'game_unknown' },
        { operation: 'rotateGameSecret', input: { gameId, graceSeconds: 3600 }, outcome: 'ok' },
      ].map((entry) => ({
        ...entry,
        id: expect.any(String),
        at: expect.any(Number),
        actor,
        administratorId: null,
      })),
    );
    const times = entries.map((entry) => entry.at);
    expect(times).toEqual(times.toSorted());
  });

  it("can call every administrators' operation, and has called each here", () => {
    const offered = registry.operations.filter((one) => one.service === 'admin').map((one) => one.name);
    expect([...admin.called].toSorted()).toEqual(offered.toSorted());
  });
});

describe('an administrator’s operation', () => {
  const offered = registry.operations.filter((one) => one.service === 'admin');

  it.each(offered)('$name is for administrators only, and has no other entry point', async ({ name }) => {
    const { gameId } = await server.createGame();
    const player = await server.openSession(gameId);
    const path = kebabCase(name);
    const body = { launcherJwt: player.launcherJwt, gameId, wallet: player.wallet };
    refused(await api.post(`/admin/${path}`, body), 401, 'admin_token_invalid');
    // Nothing of a request is read without the token.
    refused(await api.post(`/admin/${path}`, 'not JSON'), 401, 'admin_token_invalid');
    const headers = { Authorization: `Bearer ${adminToken}` };
    refused(await api.post(`/admin/${path}`, 'not JSON', headers), 400, 'body_not_json');
    refused(await api.post(`/launcher/${path}`, body, headers), 404, 'path_unknown');
    for (const service of ['launcher', 'scores'])
      refused(await api.dispatch(name, body, { service, headers }), 405, 'method_unknown');
    refused(await api.dispatch(name, body, { service: 'admin', headers }), 404, 'path_unknown');
    using launcher = await connectLauncher(server.url, { launcherJwt: player.launcherJwt });
    for (const [service, code] of [
      ['launcher', 405],
      ['admin', 404],
    ] as const) {
      await expect(launcher.call(name, body, service)).rejects.toMatchObject({ code });
    }
    expect((await api.get(`/admin/${path}`, headers)).status).toBe(405);
  });

  it('is logged before it is executed: one that a crash interrupted has no outcome', async () => {
    const { db } = server.services;
    await db.write(beginAudit, 'admin-token', 'setRules', { gameId: 'cut short' });
    const admin = overHttp({ url: server.url, adminToken });
    const { data } = await admin.call(listAuditLog, { limit: 1 });
    expect(data).toMatchObject([{ operation: 'setRules', input: { gameId: 'cut short' }, outcome: null }]);
  });

  it('that does not exist is refused by the command line, which lists those that do', async () => {
    const env = { DATA_DIR: server.config.dataDirectory };
    const { code, stderr } = await gantry(['admin', 'drop-everything'], { env });
    expect(code).not.toBe(0);
    expect(stderr).toContain('There is no such operation');
    const help = await gantry(['admin', '--help'], { env });
    for (const { name } of offered) expect(help.stdout).toContain(kebabCase(name));
  });
});
