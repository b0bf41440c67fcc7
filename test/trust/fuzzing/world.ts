import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { OperationName } from '../../../src/client/operation-types.ts';
import { createGame } from '../../../src/operations/admin/create-game.ts';
import { openSession } from '../../../src/operations/admin/open-session.ts';
import { setRules } from '../../../src/operations/admin/set-rules.ts';
import { type AdminWay, overHttp } from '../../support/administration.ts';
import { post } from '../../support/http.ts';
import { randomWallet } from '../../support/server.ts';

/** What calls are about: a game played by two, a launcher, and a game and a player nobody will miss. */
export interface World {
  gameId: string;
  gameSecret: string;
  scrapGameId: string;
  launcherGameId: string;
  scrapWallet: string;
  otherWallet: string;
  /** What wears out is made anew by `refresh`. */
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

/** Opens sessions again, and a channel with a message in it: mutated calls end and empty them. */
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

/** A valid input for every operation, without its token; one without does not compile. */
export const validInputs: { readonly [Name in OperationName]: (world: World) => Record<string, unknown> } = {
  setUserScore: () => ({ score: 120, nonce: 'first' }),
  getUserScore: () => ({ nonce: 'first' }),
  getUserScores: () => ({ limit: 10, skip: 0, nonce: '' }),
  getGameScoresLeaderboard: ({ gameId }) => ({ gameId, limit: 10, skip: 0 }),
  getUsersPositionInGameScoreLeaderboard: ({ gameId, otherWallet }) => ({ gameId, wallet: otherWallet }),
  setState: () => ({ label: 'save', state: '{"level":3,"items":["key",null]}' }),
  getStates: () => ({ label: 'save', limit: 10, skip: 0 }),
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
  triggerRulesEngine: () => ({ trigger: 'win', nonce: randomUUID(), value: 7 }),
  getMessageChannels: () => ({ limit: 10, skip: 0 }),
  createMessageChannel: ({ otherWallet }) => ({ otherParticipants: [otherWallet, randomWallet()] }),
  getChannelMessages: ({ channelId }) => ({ channelId, limit: 10, skip: 0 }),
  sendChannelMessage: ({ channelId }) => ({ channelId, content: 'One more round?' }),
  editChannelMessage: ({ messageId }) => ({ messageId, newContent: 'Never mind' }),
  unsendChannelMessage: ({ messageId }) => ({ messageId }),
  getChannelParticipants: ({ channelId }) => ({ channelId }),
  addParticipant: ({ channelId }) => ({ channelId, wallet: randomWallet() }),
  removeParticipant: ({ channelId, otherWallet }) => ({ channelId, wallet: otherWallet }),
  editGroupInfo: ({ channelId }) => ({ channelId, name: 'Crew', chatPicture: 'https://a.example/crew.png' }),
  sendTypingSignal: ({ channelId }) => ({ channelId }),
  subscribe: ({ gameId }) => ({ gameId }),
  unsubscribe: ({ gameId }) => ({ gameId }),
  getSubscribedChannels: () => ({}),
  getGames: () => ({ kind: 'game', slug: 'fuzzed', limit: 10, skip: 0 }),
  createUnverifiedChannel: ({ gameId, otherWallet }) => ({ gameId, wallet: otherWallet, chainId: 1 }),
  verifyUnverifiedChannel: () => ({ channelId: 'none', signature: `0x${'ab'.repeat(64)}1b`, chainId: 1 }),
  channelStatus: () => ({}),
  channelHeartbeat: () => ({}),
  openChannelSession: ({ scrapGameId }) => ({ gameId: scrapGameId }),
  listChannelSessions: () => ({}),
  revokeChannelSession: ({ scrapWallet }) => ({ wallet: scrapWallet }),
  endChannelSession: () => ({ sessionId: 'none' }),
  createGame: () => ({
    name: 'New Game',
    kind: 'game',
    url: 'https://new.example/play',
    allowedOrigins: ['https://new.example'],
    policies: { leaderboard: { keep: 'best', order: 'asc' }, limits: { write: { points: 5, seconds: 1 } } },
  }),
  listGames: () => ({}),
  updateGame: ({ scrapGameId }) => ({
    gameId: scrapGameId,
    name: 'Scrap',
    policies: { requireSecret: false },
  }),
  rotateGameSecret: ({ scrapGameId }) => ({ gameId: scrapGameId, graceSeconds: 60, lifetimeSeconds: 600 }),
  listGameSecrets: ({ gameId }) => ({ gameId }),
  revokeGameSecret: ({ scrapGameId }) => ({ gameId: scrapGameId, fingerprint: 'abcdef012345' }),
  getRules: ({ gameId }) => ({ gameId }),
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
  listWebhooks: ({ gameId }) => ({ gameId }),
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
  erasePlayer: ({ scrapWallet }) => ({ wallet: scrapWallet }),
  listSessions: ({ gameId, otherWallet }) => ({ gameId, wallet: otherWallet, limit: 10, skip: 0 }),
  openSession: ({ scrapGameId, scrapWallet }) => ({
    gameId: scrapGameId,
    wallet: scrapWallet,
    username: 'Scrap',
  }),
  revokeSession: () => ({ sessionId: 'none' }),
  removeScore: ({ gameId }) => ({ gameId, scoreId: 'none' }),
  listGameChannels: ({ gameId }) => ({ gameId, limit: 10, skip: 0 }),
  listMessages: ({ channelId }) => ({ channelId, limit: 10, skip: 0 }),
  removeMessage: ({ messageId }) => ({ messageId }),
  listStates: ({ gameId, otherWallet }) => ({ gameId, wallet: otherWallet, limit: 10, skip: 0 }),
  getPlayerState: ({ gameId, otherWallet }) => ({ gameId, wallet: otherWallet, label: 'save' }),
  listPlaySessions: ({ gameId, otherWallet }) => ({ gameId, wallet: otherWallet, limit: 10, skip: 0 }),
  getPlaySession: () => ({ sessionId: randomUUID() }),
  listEvents: () => ({ after: 0, limit: 10 }),
  serverFigures: () => ({ after: 0 }),
  listAuditLog: () => ({ limit: 10, skip: 0 }),
};
