import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { createGame } from '../../../src/features/games/operations/games.ts';
import type { AnyOperation } from '../../../src/features/operation.ts';
import { setRules } from '../../../src/features/rules/operations/rules.ts';
import { openSession } from '../../../src/features/sessions/operations/sessions.ts';
import type { OperationName } from '../../../src/server/declarations/operation-types.ts';
import { type AdminWay, overHttp } from '../../support/administration.ts';
import { post } from '../../support/http.ts';
import { randomWallet } from '../../support/server.ts';
import { inputFromSchema } from './input-from-schema.ts';

/** The subjects of calls: a game played by two, a launcher, and a disposable game and player. */
export interface World {
  gameId: string;
  gameSecret: string;
  scrapGameId: string;
  launcherGameId: string;
  scrapWallet: string;
  otherWallet: string;
  /** What mutated calls use up is recreated by `refresh`. */
  launcherJwt: string;
  ownLauncherJwt: string;
  channelId: string;
  messageId: string;
}

const withId = z.object({ _id: z.string() });

export async function createWorld(url: string, adminToken: string): Promise<World> {
  const admin = overHttp({ url, adminToken });
  const game = await admin.call(createGame, { name: 'Orbit' });
  const [scrap, launcher] = [
    await admin.call(createGame, { name: 'Scrap' }),
    await admin.call(createGame, { name: 'Launcher', kind: 'launcher' }),
  ];
  const world: World = {
    gameId: game.gameId,
    gameSecret: game.gameSecret,
    scrapGameId: scrap.gameId,
    launcherGameId: launcher.gameId,
    scrapWallet: randomWallet(),
    otherWallet: randomWallet(),
    launcherJwt: '',
    ownLauncherJwt: '',
    channelId: '',
    messageId: '',
  };
  await refresh(world, url, admin);
  return world;
}

/** Reopens sessions, and a channel with a message in it: mutated calls end and empty them. */
export async function refresh(world: World, url: string, admin: AdminWay): Promise<void> {
  const wallet = randomWallet();
  const { gameId, launcherGameId, otherWallet, scrapWallet } = world;
  ({ launcherJwt: world.launcherJwt } = await admin.call(openSession, { gameId, wallet }));
  ({ launcherJwt: world.ownLauncherJwt } = await admin.call(openSession, { gameId: launcherGameId, wallet }));
  await admin.call(openSession, { gameId: world.scrapGameId, wallet: scrapWallet }).catch(() => undefined); // banned
  await admin.call(setRules, { gameId, rules: [{ trigger: 'win', actions: everyAction }] });
  const { launcherJwt } = world;
  const call = async (path: string, body: object) =>
    withId.parse((await post(`${url}/launcher/${path}`, { launcherJwt, ...body })).body)._id;
  world.channelId = await call('create-message-channel', { otherParticipants: [otherWallet] });
  world.messageId = await call('send-channel-message', { channelId: world.channelId, content: 'hello' });
}

const everyAction = [
  { type: 'Notify' as const, message: '{username} won {value}' },
  { type: 'SendCustomActivity' as const, label: '{nonce} {value}', eventId: 'win' },
  { type: 'UpdateScore' as const, ratio: 2, mode: 'add' as const },
];

type InputOf = (world: World) => Record<string, unknown>;

/** Valid inputs, without their tokens, of operations that do more with one than with `inputFromSchema`'s. */
const tellingInputs: { readonly [Name in OperationName]?: InputOf } = {
  setUserScore: () => ({ score: 120, nonce: 'first' }),
  getUserScores: () => ({ limit: 10, skip: 0, nonce: '' }),
  setState: () => ({ label: 'save', state: '{"level":3,"items":["key",null]}' }),
  setStates: () => ({
    states: [
      { label: 'save', state: '{"level":4}', ifVersion: null, public: true },
      { label: randomUUID(), state: '[1]', ifVersion: 0 },
    ],
  }),
  patchState: () => ({ label: 'save', patch: '{"items":null,"hero":{"hp":0.5}}', public: false }),
  removeState: () => ({ label: randomUUID(), ifVersion: 0 }),
  getStates: () => ({ label: 'save', prefix: 'sa', limit: 10, skip: 0 }),
  getPublicStates: ({ otherWallet }) => ({ wallet: otherWallet, prefix: 'sa', limit: 10, skip: 0 }),
  trackGameSessions: () => ({ sessionId: randomUUID(), state: '{"level":3}', endTime: Date.now() }),
  sendCustomActivity: () => ({ label: '{username} found the key', eventId: 'key' }),
  getActivities: ({ gameId, otherWallet }) => ({
    gameId,
    walletAddress: otherWallet,
    type: 'off-chain',
    pageSize: 10,
    pageNumber: 1,
  }),
  sendNotification: () => ({ message: 'Level 5', type: 'success' }),
  listNotifications: () => ({ limit: 10, unreadOnly: true }),
  markNotificationsRead: () => ({ all: true }),
  muteParticipant: ({ channelId, otherWallet }) => ({
    channelId,
    wallet: otherWallet,
    seconds: 1,
    reason: 'x',
  }),
  muteInGame: ({ otherWallet }) => ({ wallet: otherWallet, seconds: 1 }),
  reportMessage: ({ messageId }) => ({ messageId, reason: 'spam', comment: 'Look' }),
  reportPlayer: ({ otherWallet }) => ({ wallet: otherWallet, reason: 'other' }),
  blockPlayer: ({ scrapWallet }) => ({ wallet: scrapWallet }),
  unblockPlayer: ({ scrapWallet }) => ({ wallet: scrapWallet }),
  notifyPlayers: ({ otherWallet }) => ({
    wallets: [otherWallet, randomWallet()],
    message: 'Go',
    type: 'success',
  }),
  updatePlayerProfile: ({ otherWallet }) => ({ wallet: otherWallet, username: 'Ada' }),
  getPlayerPresence: ({ otherWallet }) => ({ wallets: [otherWallet] }),
  batch: ({ otherWallet }) => ({
    operations: [
      { method: 'setUserScore', data: { wallet: otherWallet, score: 120, nonce: 'first' } },
      { method: 'setState', data: { wallet: otherWallet, label: 'save', state: { level: 3 } } },
      { method: 'triggerRulesEngine', data: { wallet: otherWallet, trigger: 'win', value: 7 } },
    ],
  }),
  triggerRulesEngine: () => ({ trigger: 'win', nonce: randomUUID(), value: 7 }),
  createMessageChannel: () => ({ otherParticipants: [randomWallet(), randomWallet()] }),
  sendChannelMessage: ({ channelId }) => ({ channelId, content: 'One more round?' }),
  editChannelMessage: ({ messageId }) => ({ messageId, newContent: 'Never mind' }),
  addParticipant: ({ channelId }) => ({ channelId, wallet: randomWallet() }),
  removeParticipant: ({ channelId, otherWallet }) => ({ channelId, wallet: otherWallet }),
  editGroupInfo: ({ channelId }) => ({ channelId, name: 'Crew', chatPicture: 'https://a.example/crew.png' }),
  getGames: () => ({ kind: 'game', slug: 'fuzzed', limit: 10, skip: 0 }),
  createUnverifiedChannel: ({ gameId, otherWallet }) => ({ gameId, wallet: otherWallet, chainId: 1 }),
  verifyUnverifiedChannel: () => ({ channelId: 'none', signature: `0x${'ab'.repeat(64)}1b`, chainId: 1 }),
  createGuest: ({ gameId }) => ({ gameId, deviceName: 'Phone' }),
  signInGuest: ({ gameId }) => ({ gameId, deviceSecret: `gd_${'a'.repeat(43)}` }),
  requestGuestUpgrade: ({ otherWallet }) => ({ wallet: otherWallet, chainId: 1 }),
  upgradeGuest: () => ({ channelId: 'none', signature: `0x${'ab'.repeat(64)}1b`, chainId: 1 }),
  vouchForPlayer: () => ({ playerId: 'steam:76561198000000000', username: 'Zoe' }),
  openGuestSession: ({ scrapGameId }) => ({ gameId: scrapGameId, username: 'Scrap' }),
  openChannelSession: ({ scrapGameId }) => ({ gameId: scrapGameId }),
  revokeChannelSession: ({ scrapWallet }) => ({ wallet: scrapWallet }),
  endChannelSession: () => ({ sessionId: 'none' }),
  createGame: () => ({
    name: 'New Game',
    kind: 'game',
    url: 'https://new.example/play',
    allowedOrigins: ['https://new.example'],
    policies: { leaderboard: { keep: 'best', order: 'asc' }, limits: { write: { points: 5, seconds: 1 } } },
  }),
  updateGame: ({ scrapGameId }) => ({
    gameId: scrapGameId,
    name: 'Scrap',
    policies: { requireSecret: false },
  }),
  rotateGameSecret: ({ scrapGameId }) => ({ gameId: scrapGameId, graceSeconds: 60, lifetimeSeconds: 600 }),
  revokeGameSecret: ({ scrapGameId }) => ({ gameId: scrapGameId, fingerprint: 'abcdef012345' }),
  setRules: ({ gameId }) => ({ gameId, rules: [{ trigger: 'win', actions: everyAction }] }),
  testRules: ({ gameId, otherWallet }) => ({
    gameId,
    wallet: otherWallet,
    trigger: 'win',
    value: 7,
    rules: [{ trigger: 'win', actions: everyAction }],
  }),
  listActions: ({ gameId }) => ({ gameId, state: 'failed', kind: 'chain', limit: 10, skip: 0 }),
  getAction: () => ({ actionId: 'none' }),
  retryAction: () => ({ actionId: 'none' }),
  cancelAction: () => ({ actionId: 'none' }),
  createWebhook: ({ scrapGameId }) => ({
    gameId: scrapGameId,
    url: 'http://127.0.0.1:9/hooks',
    filter: 'rules-engine-errors',
  }),
  updateWebhook: () => ({ webhookId: 'none', url: 'http://127.0.0.1:9/', filter: 'all', enabled: false }),
  removeWebhook: () => ({ webhookId: 'none' }),
  rotateWebhookSecret: () => ({ webhookId: 'none', overlapSeconds: 60 }),
  testWebhook: () => ({ webhookId: 'none' }),
  listWebhookDeliveries: ({ gameId }) => ({
    webhookId: 'none',
    gameId,
    state: 'failed',
    limit: 10,
    skip: 0,
  }),
  replayWebhookDelivery: () => ({ deliveryId: 'none' }),
  listPlayers: ({ gameId }) => ({ gameId, search: '0x', limit: 10, skip: 0 }),
  updatePlayer: ({ scrapWallet }) => ({
    wallet: scrapWallet,
    username: 'Scrap',
    avatar: 'https://a.example/b.png',
  }),
  banPlayer: ({ scrapWallet, scrapGameId }) => ({ wallet: scrapWallet, gameId: scrapGameId, reason: 'spam' }),
  unbanPlayer: ({ scrapWallet, scrapGameId }) => ({ wallet: scrapWallet, gameId: scrapGameId }),
  exportPlayer: ({ scrapWallet }) => ({ wallet: scrapWallet, cursor: '', limit: 10 }),
  erasePlayer: ({ scrapWallet }) => ({ wallet: scrapWallet }),
  openSession: ({ scrapGameId, scrapWallet }) => ({
    gameId: scrapGameId,
    wallet: scrapWallet,
    username: 'Scrap',
  }),
  revokeSession: () => ({ sessionId: 'none' }),
  removeScore: ({ gameId }) => ({ gameId, scoreId: 'none' }),
  listStates: ({ gameId, otherWallet }) => ({ gameId, wallet: otherWallet, limit: 10, skip: 0 }),
  getPlayerState: ({ gameId, otherWallet }) => ({ gameId, wallet: otherWallet, label: 'save' }),
  getPlaySession: () => ({ sessionId: randomUUID() }),
  listEvents: () => ({ after: 0, limit: 10 }),
};

/** A valid input for an operation, without its token. */
export function validInput({ name, input }: Pick<AnyOperation, 'name' | 'input'>, world: World) {
  const telling: Readonly<Record<string, InputOf | undefined>> = tellingInputs;
  return telling[name]?.(world) ?? inputFromSchema(input, world);
}
