/**
 * Compares the results of Gantry's operations with the types that the npm package of basement.fun declares. Compiled by
 * `typed-answers.test.ts` where the package is installed; each line fails to compile when a result lacks what its type
 * requires.
 */
import type { ServiceTypes } from '@b3dotfun/basement-api';
import type { z } from 'zod';
import type { operations } from '../../../src/server/declarations/operations.ts';

type Operation = (typeof operations)[number];
type AnswerOf<Name extends Operation['name']> = z.output<Extract<Operation, { name: Name }>['output']>;

type MethodOf<
  Service extends keyof ServiceTypes,
  Name extends keyof ServiceTypes[Service],
> = ServiceTypes[Service][Name] extends (...args: never[]) => Promise<infer Answer> ? Answer : never;

/**
 * Fails to compile unless every `Ours` is a `Theirs`; and where the package's type has become `any`, which proves
 * nothing.
 */
type Fits<Ours extends Theirs, Theirs> = 0 extends 1 & Theirs ? never : Ours;
const fits = <Answer>(_: [Answer] extends [never] ? never : true): void => undefined;

fits<Fits<AnswerOf<'sendNotification'>, MethodOf<'launcher', 'sendNotification'>>>(true);
fits<Fits<AnswerOf<'getUserScores'>, MethodOf<'launcher', 'getUserScores'>>>(true);
fits<Fits<AnswerOf<'setUserScore'>, MethodOf<'launcher', 'setUserScore'>>>(true);
fits<Fits<AnswerOf<'channelStatus'>, MethodOf<'launcher', 'channelStatus'>>>(true);
fits<Fits<AnswerOf<'setState'>, MethodOf<'launcher', 'setState'>>>(true);
fits<Fits<AnswerOf<'getStates'>, MethodOf<'launcher', 'getStates'>>>(true);
fits<Fits<AnswerOf<'sendCustomActivity'>, MethodOf<'launcher', 'sendCustomActivity'>>>(true);
fits<Fits<AnswerOf<'triggerRulesEngine'>, MethodOf<'launcher', 'triggerRulesEngine'>>>(true);
fits<Fits<AnswerOf<'createUnverifiedChannel'>, MethodOf<'launcher', 'createUnverifiedChannel'>>>(true);
fits<Fits<AnswerOf<'verifyUnverifiedChannel'>, MethodOf<'launcher', 'verifyUnverifiedChannel'>>>(true);
fits<Fits<AnswerOf<'channelHeartbeat'>, MethodOf<'launcher', 'channelHeartbeat'>>>(true);
fits<Fits<AnswerOf<'createMessageChannel'>, MethodOf<'launcher', 'createMessageChannel'>>>(true);
fits<Fits<AnswerOf<'getMessageChannels'>, MethodOf<'launcher', 'getMessageChannels'>>>(true);
fits<Fits<AnswerOf<'getChannelMessages'>, MethodOf<'launcher', 'getChannelMessages'>>>(true);
fits<Fits<AnswerOf<'sendChannelMessage'>, MethodOf<'launcher', 'sendChannelMessage'>>>(true);
fits<Fits<AnswerOf<'editChannelMessage'>, MethodOf<'launcher', 'editChannelMessage'>>>(true);
fits<Fits<AnswerOf<'unsendChannelMessage'>, MethodOf<'launcher', 'unsendChannelMessage'>>>(true);
fits<Fits<AnswerOf<'trackGameSessions'>, MethodOf<'launcher', 'trackGameSessions'>>>(true);
fits<Fits<AnswerOf<'getGameScoresLeaderboard'>, MethodOf<'scores', 'getGameScoresLeaderboard'>>>(true);
fits<
  Fits<
    AnswerOf<'getUsersPositionInGameScoreLeaderboard'>,
    MethodOf<'scores', 'getUsersPositionInGameScoreLeaderboard'>
  >
>(true);
fits<Fits<AnswerOf<'getActivities'>, MethodOf<'activities', 'find'>>>(true);
fits<Fits<AnswerOf<'createMessageChannel'>, MethodOf<'message-channels', 'createNewGroupChat'>>>(true);
fits<Fits<AnswerOf<'addParticipant'>, MethodOf<'message-channels', 'addParticipant'>>>(true);
fits<Fits<AnswerOf<'removeParticipant'>, MethodOf<'message-channels', 'removeParticipant'>>>(true);
fits<Fits<AnswerOf<'editGroupInfo'>, MethodOf<'message-channels', 'editGroupInfo'>>>(true);
fits<Fits<AnswerOf<'getMessageChannels'>, MethodOf<'message-channels', 'getUserChannels'>>>(true);
fits<Fits<AnswerOf<'sendChannelMessage'>, MethodOf<'chat-messages', 'sendMessage'>>>(true);
fits<Fits<AnswerOf<'editChannelMessage'>, MethodOf<'chat-messages', 'editMessage'>>>(true);
fits<Fits<AnswerOf<'unsendChannelMessage'>, MethodOf<'chat-messages', 'unsendMessage'>>>(true);
fits<Fits<AnswerOf<'getChannelMessages'>, MethodOf<'chat-messages', 'getMessages'>>>(true);
