import { z } from 'zod';
import { apiOf } from '../support/api.ts';
import type { World } from '../support/world.ts';

/**
 * Every method of the services of `@b3dotfun/basement-api` that Gantry serves at least partly: how it is called, and
 * the shape of its result, by the schemas of the package; or why it is not served. The page "Coming from basement.fun"
 * has the same list, and a test compares them.
 */

const id = z.string().min(1);
const time = z.int().positive();
const optional = <Schema extends z.ZodType>(schema: Schema) => z.exactOptional(schema);

const score = z.object({
  _id: id,
  nonce: z.string(),
  gameId: z.string(),
  normalizedAddress: z.string(),
  score: z.number(),
  updatedAt: time,
  sessionId: optional(z.string()),
});
const state = z.object({
  _id: id,
  gameId: z.string(),
  ipfsHash: z.string(),
  normalizedAddress: z.string(),
  label: z.string(),
  updatedAt: time,
  state: z.unknown(),
});
const channel = z.object({
  _id: id,
  name: optional(z.string()),
  chatPicture: optional(z.string()),
  createdAt: time,
  updatedAt: optional(time),
  participants: z.array(
    z.object({
      wallet: optional(z.string()),
      userGroup: optional(z.int()),
      permissions: z.array(z.enum(['send-messages', 'add-members', 'edit-info', 'super-admin'])),
    }),
  ),
  gameId: optional(z.uuid()),
});
const message = z.object({
  _id: id,
  channelId: id,
  senderId: id,
  content: z.string(),
  createdAt: time,
  updatedAt: optional(time),
});
const page = <Schema extends z.ZodType>(row: Schema) =>
  z.object({ total: z.int(), limit: z.int(), skip: z.int(), data: z.array(row).min(1) });
const succeeded = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.object({ success: z.literal(true), ...shape });
const activity = z.object({
  type: z.enum(['off-chain', 'on-chain']),
  eventId: z.string(),
  gameId: z.string(),
  gameName: optional(z.string()),
  gameSlug: optional(z.string()),
  user: z.object({ id: optional(id), address: z.string(), username: optional(z.string()) }),
  displayText: optional(z.string()),
  timestamp: time,
});

/** A served method. */
export interface Served {
  /** The data as the package's types require it, without the token. */
  data(world: World): unknown;
  answer: z.ZodType;
  /** Over REST there is no connection to subscribe on. */
  socketOnly?: true;
  /** It needs no token. */
  isPublic?: true;
  /** `find`: the data is the query. */
  byQuery?: true;
}

export type Method = Served | { outside: string };

const balances = 'Gantry queries chains only for rule conditions, and does not provide balances';
const gamesOutside = 'games are listed by `getGames`, and managed by administrators';
const profilesOutside = "accounts and profiles of basement.fun's platform";
const onChainOnly = 'about chains and tokens, of which Gantry keeps no index';

export const methods: Readonly<Record<string, Readonly<Record<string, Method>>>> = {
  launcher: {
    sendNotification: { data: () => ({ message: 'Well played', type: 'success' }), answer: succeeded({}) },
    getUserScores: {
      data: () => ({ limit: 10, skip: 0 }),
      answer: succeeded({ scores: z.array(score.partial()).min(1) }),
    },
    setUserScore: {
      data: () => ({ score: 12.5, nonce: 'round-1', sessionId: 'session-1' }),
      answer: succeeded({ newScore: score.extend({ sessionId: z.literal('session-1') }) }),
    },
    channelStatus: {
      data: () => ({}),
      answer: z.object({ exists: z.literal(true), present: z.boolean(), wallet: z.string(), openedAt: time }),
    },
    setState: {
      data: () => ({ label: 'save', state: '{"level":4}' }),
      answer: succeeded({ newState: state }),
    },
    getStates: { data: () => ({ limit: 10, skip: 0 }), answer: succeeded({ states: z.array(state).min(1) }) },
    sendCustomActivity: {
      data: () => ({ label: '{username} won', eventId: 'win' }),
      answer: succeeded({
        activity: z.object({
          _id: id,
          label: z.string(),
          normalizedAddress: z.string(),
          timestamp: time,
          eventId: z.string(),
          gameId: z.string(),
        }),
      }),
    },
    triggerRulesEngine: {
      data: () => ({ trigger: 'won', value: 'north', nonce: crypto.randomUUID() }),
      answer: succeeded({ triggerUuid: z.uuid(), actions: z.array(z.string()) }),
    },
    createUnverifiedChannel: {
      data: ({ keys }) => ({ wallet: keys.owner.address }),
      answer: succeeded({ signRequest: z.string(), channelId: z.string() }),
    },
    verifyUnverifiedChannel: {
      data: async ({ server, gameId, keys }) => {
        const { body } = await apiOf(server).post('/launcher/create-unverified-channel', {
          wallet: keys.owner.address,
          gameId,
        });
        const { channelId, signRequest } = Object(body);
        return { channelId, signature: await keys.owner.signMessage({ message: signRequest }) };
      },
      answer: succeeded({ jwt: z.jwt() }),
    },
    channelHeartbeat: { data: () => ({}), answer: succeeded({}) },
    createMessageChannel: {
      data: ({ stranger }) => ({ otherParticipants: [stranger.wallet], channelName: 'Us two' }),
      answer: channel,
    },
    getMessageChannels: { data: () => ({ limit: 10, skip: 0 }), answer: page(channel) },
    getChannelMessages: {
      data: ({ channelId }) => ({ channelId, limit: 10, skip: 0 }),
      answer: page(message),
    },
    sendChannelMessage: {
      data: ({ channelId }) => ({ channelId, content: 'One more round?' }),
      answer: message,
    },
    editChannelMessage: {
      data: ({ messageId }) => ({ messageId, newContent: 'Never mind' }),
      answer: message,
    },
    unsendChannelMessage: { data: ({ messageId }) => ({ messageId }), answer: message },
    getTokenBalance: { outside: balances },
    getLinkedTokenBalances: { outside: balances },
    trackGameSessions: {
      data: () => ({ sessionId: crypto.randomUUID(), state: '{"level":4}', endTime: 0 }),
      answer: succeeded({}),
    },
  },
  scores: {
    getGameScoresLeaderboard: {
      data: ({ gameId }) => ({ gameId, limit: 10, skip: 0 }),
      answer: succeeded({
        leaderboard: z.array(score.extend({ username: z.string(), avatar: z.url() })).min(1),
      }),
    },
    getUsersPositionInGameScoreLeaderboard: {
      data: ({ gameId, owner }) => ({ gameId, wallet: owner.wallet }),
      answer: succeeded({ position: z.int().min(1) }),
    },
    find: {
      outside:
        'any query of the score records of all players, nonces among them; leaderboards are public here',
    },
    getScoresForDiscordUser: { outside: 'Gantry knows wallets, and no Discord users' },
  },
  activities: {
    find: {
      byQuery: true,
      data: ({ gameId }) => ({ gameId, type: 'off-chain', pageNumber: 1, pageSize: 10 }),
      answer: succeeded({
        result: z.object({ pageNumber: z.int(), pageSize: z.int(), data: z.array(activity).min(1) }),
      }),
    },
    getStreaks: { outside: 'Gantry counts no streaks' },
    checkIfUserAlreadyMintedNFT: { outside: onChainOnly },
    getERC1155TokensOwnedByUser: { outside: onChainOnly },
  },
  'message-channels': {
    createNewGroupChat: {
      data: ({ stranger }) => ({
        name: 'Crew',
        otherParticipants: [{ wallet: stranger.wallet, permissions: ['send-messages'] }],
      }),
      answer: channel,
    },
    addParticipant: {
      data: ({ channelId, stranger }) => ({
        messageChannelId: channelId,
        participant: { wallet: stranger.wallet, permissions: ['send-messages'] },
      }),
      answer: channel,
    },
    editGroupInfo: {
      data: ({ channelId }) => ({ messageChannelId: channelId, newTitle: 'Crew' }),
      answer: channel,
    },
    getUserChannels: { data: () => ({ limit: 10, skip: 0 }), answer: page(channel) },
    removeParticipant: {
      data: ({ channelId, participant }) => ({
        messageChannelId: channelId,
        participant: { byWallet: participant.wallet },
      }),
      answer: channel,
    },
  },
  'chat-messages': {
    sendMessage: { data: ({ channelId }) => ({ channelId, content: 'One more round?' }), answer: message },
    editMessage: { data: ({ messageId }) => ({ messageId, newContent: 'Never mind' }), answer: message },
    unsendMessage: { data: ({ messageId }) => ({ messageId }), answer: message },
    getMessages: { data: ({ channelId }) => ({ channelId, limit: 10, skip: 0 }), answer: page(message) },
  },
  'realtime-events': {
    subscribe: {
      socketOnly: true,
      data: ({ gameId }) => ({ channel: 'game-stats', gameIds: [gameId], filter: 'all' }),
      answer: z.object({ channels: z.array(z.string()).length(1) }),
    },
    unsubscribe: {
      socketOnly: true,
      data: ({ gameId }) => ({ channels: [`game:${gameId}`] }),
      answer: z.null(),
    },
    getSubscribedChannels: { socketOnly: true, data: () => null, answer: z.array(z.string()) },
  },
  games: {
    find: { outside: gamesOutside },
    get: { outside: gamesOutside },
    create: { outside: gamesOutside },
    patch: { outside: gamesOutside },
    remove: { outside: gamesOutside },
    mintGame: { outside: gamesOutside },
    countInGame: { isPublic: true, data: ({ gameId }) => gameId, answer: z.object({ count: z.int() }) },
    getPlaygroundGame: { outside: gamesOutside },
    sponsorMintNft: { outside: gamesOutside },
    updateGameConfig: { outside: gamesOutside },
    uploadGameMedia: { outside: gamesOutside },
    getGamesOverview: { outside: gamesOutside },
    registerNewGame: { outside: gamesOutside },
    getModeratedGames: { outside: gamesOutside },
    canEditGame: { outside: gamesOutside },
    requestGameLaunch: { outside: gamesOutside },
    updateDraftGame: { outside: gamesOutside },
    linkPlaygroundGame: { outside: gamesOutside },
    addAchievement: { outside: gamesOutside },
    countLiveGames: { data: () => ({}), answer: z.object({ liveGamesCount: z.int() }) },
    getGamePlayEligibility: { outside: gamesOutside },
    deployNFTCollection: { outside: gamesOutside },
    linkNFTDropCollection: { outside: gamesOutside },
    editNFTCollection: { outside: gamesOutside },
    updateGlobalLeaderboard: { outside: gamesOutside },
    deployGlobalLeaderboard: { outside: gamesOutside },
    blacklistPlayers: { outside: gamesOutside },
    unblacklistPlayer: { outside: gamesOutside },
    overwriteScores: { outside: gamesOutside },
  },
  profiles: {
    find: { outside: profilesOutside },
    findByAddress: { outside: profilesOutside },
    findByAddresses: { outside: profilesOutside },
    get: { outside: profilesOutside },
    getByPrivyId: { outside: profilesOutside },
    checkUsernameAvailable: { outside: profilesOutside },
    registerUsername: { outside: profilesOutside },
    getReadyPlayerMeToken: { outside: profilesOutside },
    uploadAvatar: { outside: profilesOutside },
    setAvatar: { outside: profilesOutside },
    getPlaytimeForGame: {
      data: ({ gameId, owner }) => ({ wallet: owner.wallet, gameId }),
      answer: succeeded({ secondsPlayed: z.int() }),
    },
    getPlaytimeForGames: {
      data: ({ gameId, owner }) => ({ wallet: owner.wallet, gameIds: [gameId] }),
      answer: succeeded({ secondsPlayed: z.array(z.int()).length(1) }),
    },
    setPreferences: { outside: profilesOutside },
    getPreferences: { outside: profilesOutside },
    getGamesHistory: {
      data: ({ owner }) => ({ wallet: owner.wallet, limit: 10, skip: 0 }),
      answer: succeeded({
        currentlyPlaying: z.array(z.object({ gameId: z.string(), started: time })),
        history: z.array(z.object({ gameId: z.string(), started: time, ended: time })),
      }),
    },
    getLastPlayed: {
      data: ({ owner }) => owner.wallet,
      answer: succeeded({
        gameId: optional(z.string()),
        currentlyPlaying: optional(z.boolean()),
        playedAt: optional(time),
        duration: optional(z.int()),
      }),
    },
    getReferredUsers: { outside: profilesOutside },
    getTotalPlaytime: {
      data: ({ owner }) => ({ wallet: owner.wallet }),
      answer: succeeded({ playtime: z.int() }),
    },
    syncLinkedAccounts: { outside: profilesOutside },
    getAchievements: { outside: profilesOutside },
    getSignedVideoUploadURL: { outside: profilesOutside },
    syncNovuPusher: { outside: profilesOutside },
    getInAppNotifications: { outside: profilesOutside },
    linkEmail: { outside: profilesOutside },
    linkSMS: { outside: profilesOutside },
    getNovuSubscriber: { outside: profilesOutside },
    uploadBadgeDrawing: { outside: profilesOutside },
    registerGuestProfile: { outside: profilesOutside },
  },
};
