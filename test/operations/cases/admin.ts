import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { toCursor } from '../../../src/core/events/positions.ts';
import { recordActivity } from '../../../src/features/activities/commands.ts';
import {
  hashOfToken,
  newAdministratorToken,
} from '../../../src/features/administration/administrators/administrator.ts';
import { addAdministrator } from '../../../src/features/administration/administrators/commands.ts';
import { listAllAdministrators } from '../../../src/features/administration/administrators/queries.ts';
import { lastPositions } from '../../../src/features/events/queries.ts';
import { addFriend } from '../../../src/features/friends/commands.ts';
import { hashOfSecret } from '../../../src/features/games/game-secret.ts';
import { mute } from '../../../src/features/moderation/commands.ts';
import { enqueueActions } from '../../../src/features/queue/commands.ts';
import { setScore } from '../../../src/features/scores/commands.ts';
import { addWebhook as addGameWebhook, changeWebhook } from '../../../src/features/webhooks/commands.ts';
import { readDeliveries, readWebhooks } from '../../../src/features/webhooks/queries.ts';
import type { WebhookFilter } from '../../../src/features/webhooks/webhook.ts';
import { newWebhookSecret } from '../../../src/features/webhooks/webhook-secret.ts';
import { backupsOf } from '../../support/backups.ts';
import { isOnPostgres } from '../../support/engine.ts';
import { post } from '../../support/http.ts';
import { until } from '../../support/until.ts';
import { bearer, type World } from '../../support/world.ts';
import type { AdminCases } from '../operation-case.ts';
import { calendarAdminCases } from './calendar.ts';
import { configAdminCases } from './game-config.ts';
import { leaderboardAdminCases } from './leaderboards.ts';
import { channel, messageIdentity } from './messages.ts';
import { newsAdminCases } from './news.ts';
import { reportOfMessage } from './reports.ts';
import { rule, storeRule } from './rules.ts';

const policies = {
  leaderboard: { keep: 'best', order: 'desc' },
  serverOnly: [],
  requireSecret: false,
  scores: 'any',
  requireSignature: 'no',
  oneSessionPerPlayer: false,
  friends: 'in-game',
  guests: 'allowed',
  tokenIn: 'query',
  limits: {},
  spending: { transactionsPerDay: 0, transactionsPerPlayerPerDay: 0, tokens: [] },
  wordFilter: { action: 'mask', words: [] },
  storageQuotaMegabytes: null,
  access: null,
  minVersion: null,
};

const game = {
  gameId: '<game>',
  slug: '<slug>',
  name: 'Orbit',
  kind: 'game',
  url: '',
  allowedOrigins: [],
  policies,
  createdAt: '<time>',
  listing: 'listed',
  image: '',
  order: 0,
  deleting: false,
};

/** The participant's report of the owner's message. */
const report = {
  reportId: '<id>',
  gameId: '<game>',
  reporter: '<participant>',
  reporterName: '',
  subject: '<owner>',
  subjectName: 'Ada',
  messageId: '<message id>',
  channelId: '<channel>',
  reason: 'spam',
  comment: 'Look at this',
  status: 'open',
  createdAt: '<time>',
  closedAt: null,
  closedBy: '',
  note: '',
  openAgainst: 1,
};

/** An action of the owner's that nothing here executes. */
async function queuedAction({ server, gameId, owner }: World): Promise<string> {
  const action = {
    kind: 'chain',
    lane: '1:0x',
    type: 'IssueToken',
    gameId,
    wallet: owner.wallet,
    payload: {},
  };
  const [written] = await server.services.db.write(enqueueActions, [action]);
  return written?._id ?? '';
}

const queued = {
  _id: '<id>',
  triggerUuid: '',
  gameId: '<game>',
  normalizedAddress: '<owner>',
  type: 'IssueToken',
  state: 'queued',
  error: null,
  transactionHash: null,
  createdAt: '<time>',
  updatedAt: '<time>',
  kind: 'chain',
  lane: '1:0x',
  payload: {},
  attempts: 0,
  dueAt: '<time>',
};

const stateSummary = {
  _id: '<id>',
  gameId: '<game>',
  ipfsHash: '<cid>',
  normalizedAddress: '<owner>',
  label: 'save',
  updatedAt: '<time>',
  version: 1,
};

const playSession = {
  sessionId: '<play session>',
  gameId: '<game>',
  normalizedAddress: '<owner>',
  startedAt: '<time>',
  updatedAt: '<time>',
  endTime: null,
  bytes: 11,
};

/** Nothing is sent there, and nothing resolved. */
const receiver = 'http://127.0.0.1:9/hooks';

const webhook = {
  webhookId: '<id>',
  gameId: '<game>',
  url: receiver,
  filter: 'all',
  enabled: true,
  disabledReason: null,
  createdAt: '<time>',
  updatedAt: '<time>',
};

/** A webhook of the game's: the existing one, or a new one. */
async function addWebhook(
  { server, gameId }: World,
  { url = receiver, filter = 'all' }: { url?: string; filter?: WebhookFilter } = {},
): Promise<string> {
  const { db } = server.services;
  const known = (await db.read(readWebhooks, gameId)).find((one) => one.url === url && one.filter === filter);
  const sealedSecret = server.box.seal(newWebhookSecret());
  return (known ?? (await db.write(addGameWebhook, { gameId, url, filter, sealedSecret }))).webhookId;
}

/** A delivery that has failed, because its webhook was disabled, to an address that nothing is sent to. */
async function deadLetter(world: World): Promise<{ webhookId: string; deliveryId: string }> {
  const { db } = world.server.services;
  const webhookId = await addWebhook(world, { filter: 'event-callbacks' });
  const find = async () => {
    const { rows } = await db.read(readDeliveries, { webhookId, state: 'failed' }, { limit: 1, skip: 0 });
    return rows[0]?.deliveryId;
  };
  const known = await find();
  if (known !== undefined) return { webhookId, deliveryId: known };
  await db.write(recordActivity, world.owner, { label: 'won', eventId: 'win' });
  await db.write(changeWebhook, webhookId, { enabled: false });
  const deliveryId = await until('a dead letter', find);
  await db.write(changeWebhook, webhookId, { enabled: true });
  return { webhookId, deliveryId };
}

const delivery = {
  deliveryId: '<id>',
  webhookId: '<id>',
  gameId: '<game>',
  event: 'activities.created',
  state: 'failed',
  attempts: expect.any(Number),
  error: expect.any(String),
  dueAt: '<time>',
  deadlineAt: '<time>',
  giveUpAt: '<time>',
  createdAt: '<time>',
  updatedAt: '<time>',
  payload: {
    type: 'activities.created',
    timestamp: '<time>',
    data: {
      _id: '<id>',
      label: 'won',
      normalizedAddress: '<owner>',
      eventId: 'win',
      gameId: '<game>',
      timestamp: '<time>',
    },
  },
};

/** An administrator that exists on every server of these tests. */
const known = 'Grace';

const newRecord = {
  administratorId: '<id>',
  name: expect.stringMatching(/^Ada /),
  role: 'operator',
  createdAt: '<time>',
  expiresAt: null,
  lastUsedAt: null,
};
const knownRecord = { ...newRecord, name: known };

async function knownAdministrator({ services: { db } }: World['server']): Promise<void> {
  const all = await db.read(listAllAdministrators);
  if (all.some(({ name }) => name === known)) return;
  const token = { tokenHash: hashOfToken(newAdministratorToken()), lifetimeMs: null };
  await db.write(addAdministrator, known, 'operator', token);
}

async function newAdministrator({ services: { db } }: World['server']): Promise<string> {
  const token = { tokenHash: hashOfToken(newAdministratorToken()), lifetimeMs: null };
  const made = await db.write(addAdministrator, `Ada ${randomUUID()}`, 'operator', token);
  return made.administratorId;
}

const backup = {
  name: expect.stringMatching(/^gantry-\d{8}T\d{9}Z-manual(-no-keys)?\.gantry$/),
  kind: 'manual',
  madeAt: '<time>',
  bytes: expect.any(Number),
  hasKeys: true,
};

/** PostgreSQL's own tools make backups. */
const refusedOnPostgres = 'backup_unavailable';

async function madeBackup(server: World['server']): Promise<string> {
  if (isOnPostgres) return 'gantry-20260101T000000000Z-manual.gantry';
  return (await backupsOf(server).make('manual', { withoutKeys: true })).name;
}

export const adminCases: AdminCases = {
  ...newsAdminCases,
  createGame: {
    input: ({ gameSlug }) => ({
      name: 'Asteroids',
      slug: `${gameSlug}-two`,
      kind: 'game',
      url: 'https://asteroids.example/play',
      allowedOrigins: ['https://asteroids.example'],
      policies: { leaderboard: { order: 'asc' }, requireSignature: 'hmac-sha256' },
    }),
    answer: {
      success: true,
      gameId: '<id>',
      gameSecret: '<secret>',
      game: {
        ...game,
        gameId: '<id>',
        slug: '<slug>-two',
        name: 'Asteroids',
        url: 'https://asteroids.example/play',
        allowedOrigins: ['https://asteroids.example'],
        policies: {
          ...policies,
          leaderboard: { keep: 'best', order: 'asc' },
          requireSignature: 'hmac-sha256',
        },
      },
    },
  },
  listGames: {
    input: () => ({}),
    // The server has other worlds' games, too.
    answer: { success: true, games: expect.arrayContaining([game]) },
  },
  updateGame: {
    input: ({ gameId }) => ({
      gameId,
      name: 'Orbit II',
      policies: { oneSessionPerPlayer: true, limits: { write: { points: 5, seconds: 1 } } },
    }),
    answer: {
      success: true,
      game: {
        ...game,
        name: 'Orbit II',
        policies: { ...policies, oneSessionPerPlayer: true, limits: { write: { points: 5, seconds: 1 } } },
      },
    },
  },
  deleteGame: {
    async input({ server }) {
      const slug = `removed-${randomUUID()}`;
      const { gameId } = await server.createGame({ slug });
      return { gameId, confirm: slug };
    },
    answer: { success: true },
  },
  rotateGameSecret: {
    input: ({ gameId }) => ({ gameId, graceSeconds: 60, lifetimeSeconds: 3600 }),
    answer: { success: true, gameId: '<game>', gameSecret: '<secret>' },
  },
  listGameSecrets: {
    input: ({ gameId }) => ({ gameId }),
    answer: {
      success: true,
      secrets: [{ fingerprint: '<fingerprint>', createdAt: '<time>', expiresAt: null }],
    },
  },
  revokeGameSecret: {
    input: ({ gameId, gameSecret }) => ({ gameId, fingerprint: hashOfSecret(gameSecret).slice(0, 12) }),
    answer: { success: true },
  },

  getRules: {
    async input(world) {
      await storeRule(world);
      return { gameId: world.gameId };
    },
    answer: { success: true, version: 1, rules: [rule.stored] },
  },
  setRules: {
    input: ({ gameId }) => ({ gameId, rules: [{ ...rule.given, actions: [...rule.given.actions] }] }),
    answer: { success: true, version: 1, rules: [rule.stored] },
  },

  testRules: {
    async input(world) {
      await storeRule(world);
      return { gameId: world.gameId, wallet: world.owner.wallet, trigger: 'win', value: 7 };
    },
    answer: { success: true, actions: [{ rule: 0, action: 0, type: 'Notify', fires: true, why: null }] },
  },
  listActions: {
    async input(world) {
      await queuedAction(world);
      return { gameId: world.gameId, state: 'queued', limit: 1 };
    },
    answer: { total: 1, limit: 1, skip: 0, data: [queued] },
  },
  getAction: {
    input: async (world) => ({ actionId: await queuedAction(world) }),
    answer: { success: true, action: queued },
  },
  retryAction: {
    input: async (world) => ({ actionId: await queuedAction(world) }),
    answer: { success: true, action: queued },
  },
  cancelAction: {
    input: async (world) => ({ actionId: await queuedAction(world) }),
    answer: { success: true, action: { ...queued, state: 'cancelled' } },
  },

  createWebhook: {
    input: ({ gameId }) => ({
      gameId,
      url: 'https://orbit.example/hooks',
      filter: 'rules-engine-errors',
    }),
    answer: {
      success: true,
      webhook: { ...webhook, url: 'https://orbit.example/hooks', filter: 'rules-engine-errors' },
      secret: '<webhook secret>',
    },
  },
  listWebhooks: {
    async input(world) {
      await addWebhook(world);
      return { gameId: world.gameId };
    },
    answer: { success: true, webhooks: [webhook] },
  },
  updateWebhook: {
    input: async (world) => ({
      webhookId: await addWebhook(world),
      url: 'https://orbit.example/other',
      filter: 'event-callbacks',
      enabled: false,
    }),
    answer: {
      success: true,
      webhook: {
        ...webhook,
        url: 'https://orbit.example/other',
        filter: 'event-callbacks',
        enabled: false,
      },
    },
  },
  removeWebhook: {
    input: async (world) => ({ webhookId: await addWebhook(world) }),
    answer: { success: true },
  },
  rotateWebhookSecret: {
    input: async (world) => ({ webhookId: await addWebhook(world), overlapSeconds: 60 }),
    answer: { success: true, webhookId: '<id>', secret: '<webhook secret>' },
  },
  testWebhook: {
    input: async (world) => ({ webhookId: await addWebhook(world, { url: 'http://127.0.0.1:9/ping' }) }),
    answer: {
      success: true,
      delivered: false,
      status: null,
      error: '127.0.0.1 is not a public address',
      durationMs: expect.any(Number),
    },
  },
  listWebhookDeliveries: {
    async input(world) {
      const { webhookId } = await deadLetter(world);
      return { webhookId, state: 'failed', limit: 1 };
    },
    answer: { total: 1, limit: 1, skip: 0, data: [delivery] },
  },
  replayWebhookDelivery: {
    input: async (world) => ({ deliveryId: (await deadLetter(world)).deliveryId }),
    answer: { success: true, delivery: { ...delivery, state: 'queued', attempts: 0 } },
  },

  listPlayers: {
    input: ({ gameId, banned }) => ({ gameId, search: banned.wallet, limit: 10 }),
    answer: {
      total: 1,
      limit: 10,
      skip: 0,
      data: [
        {
          wallet: '<banned>',
          userId: '<id>',
          username: '',
          avatar: '',
          createdAt: '<time>',
          bannedFrom: ['<game>'],
          lastOpenedAt: '<time>',
          present: false,
        },
      ],
    },
  },
  getPlayerDetails: {
    input: ({ banned }) => ({ wallet: banned.wallet }),
    answer: {
      success: true,
      player: {
        wallet: '<banned>',
        userId: '<id>',
        username: '',
        avatar: '',
        createdAt: '<time>',
        bans: [{ gameId: '<game>', reason: expect.any(String), at: '<time>' }],
        games: [{ gameId: '<game>', sessions: 1, lastSeenAt: '<time>', present: false }],
      },
    },
  },
  getPlayerNames: {
    input: ({ owner, banned }) => ({ wallets: [owner.wallet, banned.wallet] }),
    answer: {
      success: true,
      players: expect.arrayContaining([
        { wallet: '<owner>', username: 'Ada', avatar: expect.any(String) },
        { wallet: '<banned>', username: '', avatar: '' },
      ]),
    },
  },
  listPlayerFriends: {
    async input({ server, gameId, owner, participant }) {
      const request = { wallet: participant.wallet, hasCode: false, message: 'Hello', gameId };
      await server.services.db.write(addFriend, owner.wallet, request);
      return { wallet: owner.wallet, limit: 10 };
    },
    answer: {
      success: true,
      counts: { friend: 0, sent: 1, received: 0 },
      privacy: expect.objectContaining({ requests: 'everyone', presence: 'friends' }),
      friends: [
        {
          wallet: '<participant>',
          userId: '<id>',
          username: '<short participant>',
          avatar: '<url>/avatars/<participant>.svg',
          isGuest: false,
          state: 'sent',
          favorite: false,
          changedAt: '<time>',
        },
      ],
      nextCursor: expect.any(String),
      more: false,
    },
  },
  removePlayerFriend: {
    async input({ server, gameId, owner, stranger }) {
      const request = { wallet: stranger.wallet, hasCode: false, message: '', gameId };
      await server.services.db.write(addFriend, owner.wallet, request);
      return { wallet: owner.wallet, friend: stranger.wallet };
    },
    answer: { success: true },
  },
  listBans: {
    input: ({ banned }) => ({ wallet: banned.wallet }),
    answer: {
      total: 1,
      limit: 50,
      skip: 0,
      data: [
        {
          wallet: '<banned>',
          username: '',
          gameId: '<game>',
          reason: expect.any(String),
          at: '<time>',
        },
      ],
    },
  },
  updatePlayer: {
    input: ({ owner }) => ({
      wallet: owner.wallet,
      username: 'Countess',
      avatar: 'https://rapids.example/a.png',
    }),
    answer: {
      success: true,
      wallet: '<owner>',
      userId: "<owner's user id>",
      username: 'Countess',
      avatar: 'https://rapids.example/a.png',
    },
  },
  banPlayer: {
    input: ({ gameId, owner }) => ({ wallet: owner.wallet, gameId, reason: 'cheating' }),
    answer: { success: true },
  },
  unbanPlayer: {
    input: ({ gameId, banned }) => ({ wallet: banned.wallet, gameId }),
    answer: { success: true },
  },
  exportPlayer: {
    input: ({ banned }) => ({ wallet: banned.wallet }),
    answer: {
      success: true,
      records: [
        {
          type: 'players',
          row: { wallet: '<banned>', userId: '<id>', username: '', avatar: '', createdAt: '<time>' },
        },
        { type: 'bans', row: { gameId: '<game>', reason: expect.any(String), at: '<time>' } },
        {
          type: 'channel_sessions',
          row: {
            id: '<id>',
            gameId: '<game>',
            openedAt: '<time>',
            openedBy: 'administrator',
            expiresAt: '<time>',
            endedAt: '<time>',
            endReason: 'banned',
          },
        },
        { type: 'opened_games', row: { gameId: '<game>', openedAt: '<time>' } },
      ],
      nextCursor: null,
    },
  },
  erasePlayer: { input: ({ owner }) => ({ wallet: owner.wallet }), answer: { success: true } },

  listSessions: {
    input: ({ gameId, banned }) => ({ wallet: banned.wallet, gameId, limit: 10 }),
    answer: {
      total: 1,
      limit: 10,
      skip: 0,
      data: [
        {
          sessionId: '<id>',
          gameId: '<game>',
          wallet: '<banned>',
          openedAt: '<time>',
          openedBy: 'administrator',
          expiresAt: '<time>',
          endedAt: '<time>',
          endReason: 'banned',
          present: false,
        },
      ],
    },
  },
  openSession: {
    input: ({ otherGameId, stranger }) => ({
      gameId: otherGameId,
      wallet: stranger.wallet,
      username: 'Eve',
    }),
    answer: { success: true, launcherJwt: 'token(<stranger>, <other game>)', sessionId: '<id>' },
  },
  openGuestSession: {
    input: ({ otherGameId }) => ({ gameId: otherGameId, username: 'Eve' }),
    answer: {
      success: true,
      wallet: '<new guest>',
      launcherJwt: 'token(<new guest>, <other game>)',
      sessionId: '<id>',
      deviceSecret: '<device secret>',
    },
  },
  revokeSession: { input: ({ owner }) => ({ sessionId: owner.sessionId }), answer: { success: true } },

  listPlayerScores: {
    input: ({ gameId, owner }) => ({ gameId, wallet: owner.wallet, limit: 1 }),
    answer: {
      total: 1,
      limit: 1,
      skip: 0,
      data: [
        {
          _id: '<score>',
          nonce: '<nonce>',
          gameId: '<game>',
          normalizedAddress: '<owner>',
          score: 120,
          updatedAt: '<time>',
        },
      ],
    },
  },
  removeScore: { input: ({ gameId, scoreId }) => ({ gameId, scoreId }), answer: { success: true } },
  listGameChannels: {
    input: ({ gameId }) => ({ gameId, limit: 10 }),
    answer: { total: 1, limit: 10, skip: 0, data: [channel] },
  },
  listMessages: {
    input: ({ channelId }) => ({ channelId, limit: 10 }),
    answer: { total: 1, limit: 10, skip: 0, data: [{ ...messageIdentity, content: '<message>' }] },
  },
  listPlayerMessages: {
    input: ({ gameId, owner }) => ({ wallet: owner.wallet, gameId, limit: 10 }),
    answer: {
      total: 1,
      limit: 10,
      skip: 0,
      data: [{ ...messageIdentity, gameId: '<game>', content: '<message>' }],
    },
  },
  removeMessage: {
    input: ({ messageId }) => ({ messageId }),
    answer: { success: true, ...messageIdentity },
  },

  listReports: {
    async input(world) {
      await reportOfMessage(world);
      return { gameId: world.gameId, status: 'open', limit: 10 };
    },
    answer: { total: 1, limit: 10, skip: 0, data: [report] },
  },
  getReport: {
    input: async (world) => ({ reportId: await reportOfMessage(world) }),
    answer: {
      success: true,
      report: { ...report, message: { ...messageIdentity, content: '<message>' }, before: [], after: [] },
    },
  },
  resolveReport: {
    input: async (world) => ({
      reportId: await reportOfMessage(world),
      outcome: 'dismissed',
      note: 'All in good fun',
    }),
    answer: { success: true },
  },
  mutePlayer: {
    input: ({ gameId, stranger }) => ({ gameId, wallet: stranger.wallet, seconds: 60, reason: 'Spam' }),
    answer: { success: true, until: '<time>' },
  },
  unmutePlayer: {
    async input({ server, gameId, stranger }) {
      await server.services.db.write(mute, stranger, null, 'server', { seconds: 60, reason: 'Spam' });
      return { gameId, wallet: stranger.wallet, mutedBy: 'server' };
    },
    answer: { success: true },
  },
  listMutes: {
    async input({ server, gameId, stranger }) {
      await server.services.db.write(mute, stranger, null, 'moderator', { seconds: 60, reason: 'Spam' });
      return { gameId };
    },
    answer: {
      total: 1,
      limit: 50,
      skip: 0,
      data: [
        {
          wallet: '<stranger>',
          username: '',
          gameId: '<game>',
          channelId: null,
          mutedBy: 'moderator',
          until: '<time>',
          reason: 'Spam',
          createdAt: '<time>',
        },
      ],
    },
  },

  listStates: {
    input: ({ gameId, owner }) => ({ gameId, wallet: owner.wallet, limit: 10 }),
    answer: {
      total: 1,
      limit: 10,
      skip: 0,
      data: [{ ...stateSummary, bytes: expect.any(Number) }],
    },
  },
  getPlayerState: {
    input: ({ gameId, owner }) => ({ gameId, wallet: owner.wallet, label: 'save' }),
    answer: { success: true, state: { ...stateSummary, state: { level: 3, hero: '<state>' } } },
  },
  setPlayerState: {
    input: ({ gameId, owner }) => ({
      gameId,
      wallet: owner.wallet,
      label: 'save',
      state: '{"level":4}',
      ifVersion: 1,
    }),
    answer: { success: true, newState: { ...stateSummary, version: 2, state: { level: 4 } } },
  },
  listPlaySessions: {
    input: ({ gameId }) => ({ gameId, limit: 10 }),
    answer: { total: 1, limit: 10, skip: 0, data: [playSession] },
  },
  getPlaySession: {
    input: ({ playSessionId }) => ({ sessionId: playSessionId }),
    answer: { success: true, playSession: { ...playSession, state: '{"level":3}' } },
  },
  listEvents: {
    async input({ server, owner }) {
      const { db } = server.services;
      const after = await db.read(lastPositions);
      await db.write(setScore, owner, 130, 'second');
      return { after: toCursor(after), limit: 1 };
    },
    answer: {
      success: true,
      cursor: expect.any(String),
      more: false,
      events: [
        {
          position: expect.any(Number),
          at: '<time>',
          name: 'scores created',
          stream: 'player:<game>:<owner>',
          seq: expect.any(Number),
          gameId: '<game>',
          wallets: ['<owner>'],
          record: {
            _id: '<id>',
            nonce: 'second',
            gameId: '<game>',
            normalizedAddress: '<owner>',
            score: 130,
            updatedAt: '<time>',
          },
        },
      ],
    },
  },

  listRefusals: {
    // Other refusals of a run vary: nothing is ever refused for this reason here.
    input: () => ({ reason: 'chain_unavailable' }),
    answer: { total: 0, limit: 50, skip: 0, data: [] },
  },

  listRequests: {
    input: () => ({ reason: 'chain_unavailable' }),
    answer: { total: 0, limit: 50, skip: 0, data: [] },
  },

  serverSummary: {
    input: () => ({ since: Date.now() - 60_000 }),
    answer: {
      success: true,
      nodes: expect.any(Array),
      playing: expect.any(Number),
      today: { since: '<time>', sessions: expect.any(Number), players: expect.any(Number) },
      storage: expect.any(Array),
    },
  },

  getGameStats: {
    input: ({ gameId }) => ({ gameId }),
    answer: {
      success: true,
      playing: expect.any(Number),
      online: expect.any(Number),
      days: [{ at: '<time>', sessions: expect.any(Number), players: expect.any(Number) }],
      callsEveryMs: 600_000,
      calls: expect.any(Array),
    },
  },

  getServerStats: {
    input: () => ({ after: Number.MAX_SAFE_INTEGER }),
    // A command has nothing to report: no server runs in its process.
    answer: {
      success: true,
      startedAt: expect.toBeOneOf(['<time>', null]),
      everyMs: expect.any(Number),
      samples: [],
    },
  },

  listAuditLog: {
    async input({ server, stranger }) {
      const change = { wallet: stranger.wallet, username: 'Eve' };
      await post(`${server.url}/admin/update-player`, change, bearer(server.adminToken));
      return { limit: 1 };
    },
    answer: {
      total: expect.any(Number),
      limit: 1,
      skip: 0,
      data: [
        {
          id: '<id>',
          at: '<time>',
          actor: 'admin-token',
          administratorId: null,
          operation: 'updatePlayer',
          input: { wallet: '<stranger>', username: 'Eve' },
          outcome: 'ok',
        },
      ],
    },
  },

  whoAmI: {
    input: () => ({}),
    answer: {
      success: true,
      administratorId: null,
      name: expect.toBeOneOf(['admin-token', 'cli']),
      role: 'owner',
      expiresAt: null,
      operations: expect.arrayContaining(['whoAmI', 'createAdministrator']),
    },
  },

  listAdministrators: {
    async input({ server }) {
      await knownAdministrator(server);
      return {};
    },
    answer: { success: true, administrators: expect.arrayContaining([knownRecord]) },
  },

  createAdministrator: {
    input: () => ({ name: `Ada ${randomUUID()}`, role: 'moderator', lifetimeDays: 1 }),
    answer: {
      success: true,
      administrator: { ...newRecord, role: 'moderator', expiresAt: '<time>' },
      token: '<administrator token>',
    },
  },

  updateAdministrator: {
    input: async ({ server }) => ({ administratorId: await newAdministrator(server), role: 'read-only' }),
    answer: { success: true, administrator: { ...newRecord, role: 'read-only' } },
  },

  rotateAdministratorToken: {
    input: async ({ server }) => ({ administratorId: await newAdministrator(server) }),
    answer: { success: true, administrator: newRecord, token: '<administrator token>' },
  },

  revokeAdministrator: {
    input: async ({ server }) => ({ administratorId: await newAdministrator(server) }),
    answer: { success: true },
  },

  listBackups: {
    input: () => ({}),
    answer: {
      success: true,
      unavailable: isOnPostgres ? expect.stringContaining('PostgreSQL') : null,
      backups: expect.any(Array),
      running: null,
      schedule: expect.toBeOneOf([null, expect.objectContaining({ keep: 3 })]),
    },
  },

  makeBackup: {
    input: () => ({ withoutKeys: true }),
    answer: { success: true, backup: { ...backup, hasKeys: false } },
    refusedOnPostgres,
  },

  downloadBackup: {
    input: async ({ server }) => ({ name: await madeBackup(server) }),
    answer: {
      success: true,
      path: expect.stringMatching(/^\/admin\/backups\/[\w-]{100,}$/),
      expiresAt: '<time>',
    },
    refusedOnPostgres,
  },

  removeBackup: {
    input: async ({ server }) => ({ name: await madeBackup(server) }),
    answer: { success: true },
    refusedOnPostgres,
  },

  setBackupSchedule: {
    input: () => ({ everyHours: 24, keep: 3 }),
    answer: {
      success: true,
      schedule: { everyHours: 24, keep: 3, dueAt: '<time>', failedAt: null, failure: null },
    },
    refusedOnPostgres,
  },
  ...leaderboardAdminCases,
  ...calendarAdminCases,
  ...configAdminCases,
};
