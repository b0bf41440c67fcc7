import { randomWallet } from '../support/server.ts';
import { badRequest, type FailingCall, notAuthenticated } from './failing-calls.ts';
import type { AdminOperationName } from './operation-case.ts';

export const failingAdminCalls: readonly FailingCall<AdminOperationName>[] = [
  {
    title: 'a field left out',
    operation: 'createGame',
    input: () => ({ slug: 'nameless' }),
    ...badRequest,
    reason: 'input_invalid',
  },
  {
    title: 'several fields that cannot be',
    operation: 'updateGame',
    input: ({ gameId }) => ({
      gameId,
      url: 'javascript:alert(1)',
      allowedOrigins: ['https://a.example/path'],
    }),
    ...badRequest,
    reason: 'input_invalid',
  },
  {
    title: 'a policy that is none',
    operation: 'updateGame',
    input: ({ gameId }) => ({ gameId, policies: { requireSignature: 'maybe' } }),
    ...badRequest,
    reason: 'input_invalid',
  },
  {
    title: 'a slug that is taken',
    operation: 'createGame',
    input: ({ gameSlug }) => ({ name: 'Orbit again', slug: gameSlug }),
    ...badRequest,
    reason: 'slug_taken',
  },
  {
    title: 'an address that is none',
    operation: 'banPlayer',
    input: () => ({ wallet: '0x12' }),
    ...badRequest,
    reason: 'address_invalid',
  },
  {
    title: 'a rule that is none',
    operation: 'setRules',
    input: ({ gameId }) => ({ gameId, rules: [{ trigger: 'win', actions: [{ type: 'MintToken' }] }] }),
    ...badRequest,
    reason: 'rule_invalid',
  },
  {
    title: 'a negative page size',
    operation: 'listPlayers',
    input: () => ({ limit: -1 }),
    ...badRequest,
    reason: 'paging_invalid',
  },
  ...(
    [
      'updateGame',
      'rotateGameSecret',
      'listGameSecrets',
      'getRules',
      'listGameChannels',
      'listStates',
      'listPlaySessions',
    ] as const
  ).map(
    (operation): FailingCall<AdminOperationName> => ({
      title: 'an unknown game',
      operation,
      input: () => ({ gameId: 'no-such-game' }),
      ...badRequest,
      reason: 'game_unknown',
    }),
  ),
  {
    title: 'rules for an unknown game',
    operation: 'setRules',
    input: () => ({ gameId: 'no-such-game', rules: [] }),
    ...badRequest,
    reason: 'game_unknown',
  },
  {
    title: 'a session in an unknown game',
    operation: 'openSession',
    input: ({ owner }) => ({ gameId: 'no-such-game', wallet: owner.wallet }),
    ...badRequest,
    reason: 'game_unknown',
  },
  {
    title: 'a session for a banned player',
    operation: 'openSession',
    input: ({ gameId, banned }) => ({ gameId, wallet: banned.wallet }),
    ...notAuthenticated,
    reason: 'player_banned',
  },
  {
    title: 'an unknown secret',
    operation: 'revokeGameSecret',
    input: ({ gameId }) => ({ gameId, fingerprint: '000000000000' }),
    ...badRequest,
    reason: 'secret_unknown',
  },
  {
    title: 'an unknown player',
    operation: 'erasePlayer',
    input: () => ({ wallet: randomWallet() }),
    ...badRequest,
    reason: 'player_unknown',
  },
  {
    title: 'a player who is not banned',
    operation: 'unbanPlayer',
    input: ({ gameId, owner }) => ({ gameId, wallet: owner.wallet }),
    ...badRequest,
    reason: 'player_not_banned',
  },
  {
    title: 'an unknown session',
    operation: 'revokeSession',
    input: () => ({ sessionId: 'no-such-session' }),
    ...notAuthenticated,
    reason: 'session_unknown',
  },
  {
    title: "a score of another game's",
    operation: 'removeScore',
    input: ({ otherGameId, scoreId }) => ({ gameId: otherGameId, scoreId }),
    ...badRequest,
    reason: 'score_unknown',
  },
  {
    title: 'an unknown channel',
    operation: 'listMessages',
    input: () => ({ channelId: 'no-such-channel' }),
    ...badRequest,
    reason: 'channel_unknown',
  },
  {
    title: 'an unknown message',
    operation: 'removeMessage',
    input: () => ({ messageId: 'no-such-message' }),
    ...badRequest,
    reason: 'message_unknown',
  },
  ...(['getAction', 'retryAction', 'cancelAction'] as const).map(
    (operation): FailingCall<AdminOperationName> => ({
      title: 'an unknown action',
      operation,
      input: () => ({ actionId: 'no-such-action' }),
      ...badRequest,
      reason: 'action_unknown',
    }),
  ),
];
