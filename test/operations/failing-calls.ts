import type { Reason } from '../../src/core/errors.ts';
import { triggerRules } from '../../src/features/rules/commands.ts';
import type { World } from '../support/world.ts';
import type { LauncherOperationName } from './operation-case.ts';

/** A call that fails the same way however it is made. */
export interface FailingCall<Name extends string = string> {
  title: string;
  operation: Name;
  /** For a launcher's operation it is sent with the owner's token; a `launcherJwt` in it replaces the token. */
  input(world: World): Record<string, unknown> | Promise<Record<string, unknown>>;
  code: number;
  /** What Feathers calls the error. */
  name: 'BadRequest' | 'NotAuthenticated' | 'Conflict';
  reason: Reason;
}

export const badRequest = { code: 400, name: 'BadRequest' } as const;
export const notAuthenticated = { code: 401, name: 'NotAuthenticated' } as const;

export const failingCalls: readonly FailingCall<LauncherOperationName>[] = [
  {
    title: 'a missing field',
    operation: 'sendChannelMessage',
    input: ({ channelId }) => ({ channelId }),
    ...badRequest,
    reason: 'input_invalid',
  },
  {
    title: 'several fields of the wrong type',
    operation: 'sendNotification',
    input: () => ({ message: 12, type: 'warning' }),
    ...badRequest,
    reason: 'input_invalid',
  },
  {
    title: 'a text that is too long',
    operation: 'sendChannelMessage',
    input: ({ channelId }) => ({ channelId, content: 'x'.repeat(4001) }),
    ...badRequest,
    reason: 'input_invalid',
  },
  {
    title: 'a negative page size',
    operation: 'getMessageChannels',
    input: () => ({ limit: -1 }),
    ...badRequest,
    reason: 'paging_invalid',
  },
  {
    title: 'an invalid address',
    operation: 'getUsersPositionInGameScoreLeaderboard',
    input: ({ gameId }) => ({ gameId, wallet: '0x12' }),
    ...badRequest,
    reason: 'address_invalid',
  },
  {
    title: 'a channel with oneself',
    operation: 'createMessageChannel',
    input: ({ owner }) => ({ otherParticipants: [owner.wallet] }),
    ...badRequest,
    reason: 'participants_invalid',
  },
  {
    title: 'a state that is not JSON',
    operation: 'setState',
    input: () => ({ label: 'save', state: '{level:' }),
    ...badRequest,
    reason: 'state_not_json',
  },
  {
    title: 'a state that has another version',
    operation: 'setState',
    input: () => ({ label: 'save', state: '{}', ifVersion: 7 }),
    code: 409,
    name: 'Conflict',
    reason: 'version_conflict',
  },
  {
    title: 'one of several states that should not be there',
    operation: 'setStates',
    input: () => ({
      states: [
        { label: 'new', state: '{}' },
        { label: 'save', state: '{}', ifVersion: 0 },
      ],
    }),
    code: 409,
    name: 'Conflict',
    reason: 'version_conflict',
  },
  {
    title: 'a patch that is not JSON',
    operation: 'patchState',
    input: () => ({ label: 'save', patch: '{level:' }),
    ...badRequest,
    reason: 'state_not_json',
  },
  {
    title: 'the removal of a state that has another version',
    operation: 'removeState',
    input: () => ({ label: 'save', ifVersion: 2 }),
    code: 409,
    name: 'Conflict',
    reason: 'version_conflict',
  },
  {
    title: 'public states of an invalid address',
    operation: 'getPublicStates',
    input: () => ({ wallet: '0x12' }),
    ...badRequest,
    reason: 'address_invalid',
  },
  {
    title: 'a play session id that is not a UUID',
    operation: 'trackGameSessions',
    input: () => ({ sessionId: 'one', state: '{}' }),
    ...badRequest,
    reason: 'input_invalid',
  },
  {
    title: 'an unknown channel',
    operation: 'getChannelMessages',
    input: () => ({ channelId: 'no-such-channel' }),
    ...badRequest,
    reason: 'channel_unknown',
  },
  {
    title: 'an unknown message',
    operation: 'editChannelMessage',
    input: () => ({ messageId: 'no-such-message', newContent: 'hello' }),
    ...badRequest,
    reason: 'message_unknown',
  },
  {
    title: 'an unknown game',
    operation: 'getGameScoresLeaderboard',
    input: () => ({ gameId: 'no-such-game' }),
    ...badRequest,
    reason: 'game_unknown',
  },
  {
    title: 'an unknown sign-in',
    operation: 'verifyUnverifiedChannel',
    input: () => ({ channelId: 'no-such-channel', signature: `0x${'12'.repeat(65)}` }),
    ...badRequest,
    reason: 'sign_in_unknown',
  },
  {
    title: 'a nonce used for something else',
    operation: 'triggerRulesEngine',
    async input({ server, owner }) {
      await server.services.db.write(triggerRules, owner, { trigger: 'win', nonce: 'round-1' });
      return { trigger: 'lose', nonce: 'round-1' };
    },
    code: 409,
    name: 'Conflict',
    reason: 'nonce_reused',
  },
  {
    title: 'no token',
    operation: 'getStates',
    input: () => ({ launcherJwt: undefined }),
    ...notAuthenticated,
    reason: 'token_missing',
  },
  {
    title: 'an invalid token',
    operation: 'getStates',
    input: () => ({ launcherJwt: 'not.a.token' }),
    ...notAuthenticated,
    reason: 'token_invalid',
  },
  {
    title: 'a forged token',
    operation: 'setUserScore',
    input: ({ tokens }) => ({ launcherJwt: tokens.forged, score: 1 }),
    ...notAuthenticated,
    reason: 'token_invalid',
  },
  {
    title: 'the token of an ended session',
    operation: 'setUserScore',
    input: ({ tokens }) => ({ launcherJwt: tokens.ended, score: 1 }),
    ...notAuthenticated,
    reason: 'session_ended',
  },
  {
    title: 'the token of a revoked session',
    operation: 'getUserScores',
    input: ({ tokens }) => ({ launcherJwt: tokens.revoked }),
    ...notAuthenticated,
    reason: 'session_ended',
  },
  {
    title: 'the token of a banned player',
    operation: 'sendCustomActivity',
    input: ({ tokens }) => ({ launcherJwt: tokens.banned, label: 'Here I am', eventId: 'back' }),
    ...notAuthenticated,
    reason: 'session_ended',
  },
  {
    title: 'a launcher opening a session for a banned player',
    operation: 'openChannelSession',
    async input({ server, gameId, launcherGameId, banned }) {
      const { launcherJwt } = await server.openSession(launcherGameId, banned.wallet);
      return { launcherJwt, gameId };
    },
    ...notAuthenticated,
    reason: 'player_banned',
  },
  {
    title: "another game's public stream",
    operation: 'subscribe',
    input: ({ otherGameId }) => ({ gameId: otherGameId }),
    ...notAuthenticated,
    reason: 'not_a_launcher',
  },
  {
    title: 'the public stream of an unknown game',
    operation: 'unsubscribe',
    input: ({ tokens }) => ({ launcherJwt: tokens.launcher, gameId: 'no-such-game' }),
    ...badRequest,
    reason: 'game_unknown',
  },
  {
    title: 'a typing signal in an unknown channel',
    operation: 'sendTypingSignal',
    input: () => ({ channelId: 'no-such-channel' }),
    ...badRequest,
    reason: 'channel_unknown',
  },
  {
    title: "another participant's message",
    operation: 'unsendChannelMessage',
    input: ({ tokens, messageId }) => ({ launcherJwt: tokens.participant, messageId }),
    ...notAuthenticated,
    reason: 'not_the_sender',
  },
  {
    title: 'a change that requires a permission',
    operation: 'editGroupInfo',
    input: ({ tokens, channelId }) => ({ launcherJwt: tokens.participant, channelId, name: 'Mine' }),
    ...notAuthenticated,
    reason: 'permission_missing',
  },
  {
    title: "another player's play session",
    operation: 'trackGameSessions',
    input: ({ tokens, playSessionId }) => ({
      launcherJwt: tokens.stranger,
      sessionId: playSessionId,
      state: '{}',
    }),
    ...notAuthenticated,
    reason: 'play_session_not_yours',
  },
];
