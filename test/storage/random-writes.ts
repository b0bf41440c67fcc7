import type { Owner } from '../../src/core/schemas/owner.ts';
import type { Store } from '../../src/core/storage/store.ts';
import { recordActivity } from '../../src/features/activities/commands.ts';
import { ban, changeGame, unban } from '../../src/features/administration/commands.ts';
import {
  addToChannel,
  createChannel,
  editChannelInfo,
  removeFromChannel,
} from '../../src/features/messages/channel-commands.ts';
import { listChannelsFrom, listMessagesFrom } from '../../src/features/messages/cursor-queries.ts';
import type { ChannelMessage, MessageChannel } from '../../src/features/messages/message-channel.ts';
import { editMessage, sendMessage, unsendMessage } from '../../src/features/messages/message-commands.ts';
import { listChannelMessages, listChannels } from '../../src/features/messages/queries.ts';
import { addReactionTo, removeReactionFrom } from '../../src/features/messages/reaction-commands.ts';
import { moveReadMarker } from '../../src/features/messages/read-marker-commands.ts';
import { listUnread } from '../../src/features/messages/unread.ts';
import { notifyPlayer } from '../../src/features/notifications/commands.ts';
import { trackPlaySession } from '../../src/features/play-sessions/commands.ts';
import { setProfile } from '../../src/features/players/commands.ts';
import { replaceRules, triggerRules } from '../../src/features/rules/commands.ts';
import type { Rule } from '../../src/features/rules/rule.ts';
import { defaultBoardOf } from '../../src/features/scores/board-rows.ts';
import { deleteScore, setScore } from '../../src/features/scores/commands.ts';
import { readBoardPage, readPlace } from '../../src/features/scores/leaderboard-queries.ts';
import { listScores } from '../../src/features/scores/queries.ts';
import type { SessionDetails } from '../../src/features/sessions/channel-session.ts';
import { endSessionsOf, revokeSessionsInGame, startSession } from '../../src/features/sessions/commands.ts';
import { patchState, removeState, saveState, saveStates } from '../../src/features/states/commands.ts';
import { listPlayerStates, readPublicStatesPage, readStatesPage } from '../../src/features/states/queries.ts';
import { gameWrites, guestWrites, leaderboardWrites, moderationWrites } from './random-feature-writes.ts';
import { friendWrites } from './random-friend-writes.ts';

/** The same numbers for the same seed (mulberry32), from 0 up to below 1. */
export function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The subjects of random operations. Channels, messages and scores are those named in results. */
export interface Scene {
  gameIds: readonly string[];
  wallets: readonly string[];
  channels: { id: string; gameId: string; members: string[] }[];
  messages: { id: string; channelId: string; sender: string }[];
  scores: string[];
  /** Addresses of guests, some of whom have a wallet by now. */
  guests: string[];
  notifications: string[];
  reports: string[];
  webhooks: string[];
  deliveries: string[];
  /** A counter for unique values. */
  made: number;
  leavesOut: readonly LeftOut[];
}

/**
 * What is excluded in a scene: `renaming`, which changes how earlier events read later (a guest gets a wallet);
 * `games`, changes of a game's secrets, webhooks and leaderboards, and the operations of guests and moderators.
 */
export type LeftOut = 'renaming' | 'games';

/** Where nothing has been done yet. */
export function newScene(wallets: readonly string[], leavesOut: readonly LeftOut[] = []): Scene {
  return {
    gameIds: [],
    wallets,
    channels: [],
    messages: [],
    scores: [],
    guests: [],
    notifications: [],
    reports: [],
    webhooks: [],
    deliveries: [],
    made: 0,
    leavesOut,
  };
}

/** An operation that can be executed on any database, with the same result on each. */
export interface RandomOperation {
  name: string;
  run(db: Store): Promise<unknown>;
}

/** An operation, and its weight relative to the others. */
export type Weighted = [weight: number, name: string, run: RandomOperation['run']];

const page = { limit: 20, skip: 0 };
const rules: readonly Rule[] = [
  {
    trigger: 'win',
    limitExecutions: { amount: 3 },
    actions: [{ type: 'Notify', message: 'Won', notificationType: 'success', conditions: [] }],
  },
] as unknown as readonly Rule[];

/** Records the ids in a result, for later operations. */
export function learn(scene: Scene, { name }: RandomOperation, answer: unknown): void {
  const lists: Record<string, [field: string, ids: string[]]> = {
    setScore: ['_id', scene.scores],
    notifyPlayer: ['_id', scene.notifications],
    addWebhook: ['webhookId', scene.webhooks],
    claimDeliveries: ['deliveryId', scene.deliveries],
  };
  if (name === 'fileReport' && typeof answer === 'string') scene.reports.push(answer);
  if (name === 'addGuest') {
    const { details } = answer as { details?: SessionDetails };
    if (details) scene.guests.push(details.session.wallet);
  }
  if ((name === 'createChannel' || name === 'addToChannel') && isRecord(answer)) {
    const { _id: id, gameId, participants } = answer as unknown as MessageChannel;
    const members = participants.map(({ wallet }) => wallet);
    const known = scene.channels.find((channel) => channel.id === id);
    if (known) known.members = members;
    else scene.channels.push({ id, gameId, members });
  }
  if (name === 'sendMessage' && isRecord(answer)) {
    const { _id: id, channelId, senderId: sender } = answer as unknown as ChannelMessage;
    scene.messages.push({ id, channelId, sender });
  }
  const list = lists[name];
  if (!list) return;
  const [field, ids] = list;
  for (const one of Array.isArray(answer) ? answer : [answer]) {
    if (isRecord(one)) ids.push(String(one[field]));
  }
}

/** An error that is not a refusal. */
function isRecord(answer: unknown): answer is Record<string, unknown> {
  return typeof answer === 'object' && answer !== null && !('refused' in answer);
}

export function randomOperation(random: () => number, scene: Scene): RandomOperation {
  const pick = <T>(from: readonly T[], other: T): T => from[Math.floor(random() * from.length)] ?? other;
  const upTo = (most: number) => Math.floor(random() * most);
  const recent = <T>(from: readonly T[]): T | undefined =>
    from[from.length - 1 - upTo(Math.min(200, from.length))];
  const said = recent(scene.messages);
  const isAboutSaid = random() < 0.5;
  const spoken = isAboutSaid && scene.channels.find(({ id }) => id === said?.channelId);
  const where = spoken || recent(scene.channels);
  const isMember = where !== undefined && random() < 0.8;
  const owner: Owner = {
    gameId: isMember ? where.gameId : pick(scene.gameIds, ''),
    wallet: isMember
      ? pick(random() < 0.4 && isAboutSaid && said ? [said.sender] : where.members, '')
      : pick(scene.wallets, ''),
  };
  const wallet = pick(isMember && random() < 0.5 ? where.members : scene.wallets, '');
  const channel = where?.id ?? 'none';
  const message = said?.id ?? 'none';
  const number = upTo(1_000);
  const nonce = random() < 0.3 ? `nonce-${upTo(20)}` : undefined;
  const one = (name: string, run: (db: Store) => Promise<unknown>): RandomOperation => ({ name, run });
  const score = pick(scene.scores, 'none');
  const tracked = play(number, random() < 0.3);
  const order = number % 2 ? ('newest' as const) : ('oldest' as const);
  const label = `label-${number % 5}`;
  const patch = `{"n":${number % 3 ? number : null},"of":{"k${number % 4}":[${number}]}}`;
  const options = {
    ifVersion: random() < 0.4 ? upTo(4) : undefined,
    public: random() < 0.3 ? random() < 0.5 : undefined,
  };
  const operations: [weight: number, RandomOperation][] = [
    [20, one('setScore', (db) => db.write(setScore, owner, number, nonce))],
    [3, one('deleteScore', (db) => db.write(deleteScore, owner.gameId, score))],
    [
      8,
      one('saveState', (db) =>
        db.write(saveState, owner, label, `{"n":${number}}`, `cid-${number}`, undefined, options),
      ),
    ],
    [
      3,
      one('saveStates', (db) =>
        db.write(saveStates, owner, [
          { label, json: `{"m":${number}}`, ipfsHash: 'cid', ...options },
          { label: `label-${(number + 1) % 5}`, json: '[]', ipfsHash: 'cid', public: number % 2 === 0 },
        ]),
      ),
    ],
    [4, one('patchState', (db) => db.write(patchState, owner, label, patch, undefined, options))],
    [3, one('removeState', (db) => db.write(removeState, owner, label, options.ifVersion))],
    [
      6,
      one('createChannel', (db) =>
        db.write(
          createChannel,
          owner,
          [wallet].filter((other) => other !== owner.wallet),
        ),
      ),
    ],
    [4, one('addToChannel', (db) => db.write(addToChannel, owner, channel, wallet))],
    [3, one('removeFromChannel', (db) => db.write(removeFromChannel, owner, channel, wallet))],
    [
      2,
      one('editChannelInfo', (db) => db.write(editChannelInfo, owner, channel, { name: `name ${number}` })),
    ],
    [16, one('sendMessage', (db) => db.write(sendMessage, owner, channel, `message ${number} \0`))],
    [
      3,
      one('sendMessage', (db) =>
        db.write(sendMessage, owner, channel, `reply ${number}`, undefined, message),
      ),
    ],
    [6, one('editMessage', (db) => db.write(editMessage, owner, message, `edited ${number}`))],
    [3, one('unsendMessage', (db) => db.write(unsendMessage, owner, message))],
    [6, one('addReactionTo', (db) => db.write(addReactionTo, owner, message, `e${number % 4}`))],
    [3, one('removeReactionFrom', (db) => db.write(removeReactionFrom, owner, message, `e${number % 4}`))],
    [5, one('moveReadMarker', (db) => db.write(moveReadMarker, owner, channel, message))],
    [5, one('trackPlaySession', (db) => db.write(trackPlaySession, owner, tracked))],
    [
      4,
      one('notifyPlayer', (db) =>
        db.write(notifyPlayer, owner, { message: `hello ${number}`, type: 'success' }),
      ),
    ],
    [
      4,
      one('recordActivity', (db) =>
        db.write(recordActivity, owner, { label: `did ${number}`, eventId: `e${number % 3}` }),
      ),
    ],
    [6, one('triggerRules', (db) => db.write(triggerRules, owner, { trigger: 'win', value: number, nonce }))],
    [1, one('replaceRules', (db) => db.write(replaceRules, owner.gameId, number % 2 ? rules : []))],
    [4, one('startSession', (db) => db.write(startSession, owner, 60_000 + number))],
    [1, one('endSessionsOf', (db) => db.write(endSessionsOf, owner.wallet, null, 'revoked'))],
    [1, one('revokeSessionsInGame', (db) => db.write(revokeSessionsInGame, owner))],
    [1, one('ban', (db) => db.write(ban, owner.wallet, number % 2 ? owner.gameId : null, 'why'))],
    [1, one('unban', (db) => db.write(unban, owner.wallet, number % 2 ? owner.gameId : null))],
    [2, one('setProfile', (db) => db.write(setProfile, owner.wallet, { username: `name ${number}` }))],
    [1, one('changeGame', (db) => db.write(changeGame, owner.gameId, { policies: policiesOf(number) }))],
    [
      3,
      one('readLeaderboard', (db) =>
        db.read(readBoardPage, defaultBoardOf(owner.gameId), { limit: 10, skip: number % 4 }),
      ),
    ],
    [2, one('readPosition', (db) => db.read(readPlace, defaultBoardOf(owner.gameId), owner.wallet))],
    [1, one('listScores', (db) => db.read(listScores, owner, page))],
    [1, one('listPlayerStates', (db) => db.read(listPlayerStates, owner, page))],
    [1, one('readStatesPage', (db) => db.read(readStatesPage, owner, page, { prefix: 'label-' }))],
    [1, one('readPublicStatesPage', (db) => db.read(readPublicStatesPage, owner, page))],
    [1, one('listChannels', (db) => db.read(listChannels, owner, page))],
    [
      1,
      one('listMessagesFrom', (db) =>
        db.read(listMessagesFrom, owner, channel, { limit: 5, order, behind: String(number % 30) }),
      ),
    ],
    [1, one('listChannelsFrom', (db) => db.read(listChannelsFrom, owner, { limit: 5, order, behind: null }))],
    [
      1,
      one('listUnread', (db) =>
        db.read(
          listUnread,
          owner,
          scene.channels.slice(-20).map(({ id }) => id),
        ),
      ),
    ],
    [1, one('listChannelMessages', (db) => db.read(listChannelMessages, owner, channel, page))],
  ];
  if (!scene.leavesOut.includes('games')) {
    const drawn = { owner, wallet, channel, message, number, nonce };
    const others = [leaderboardWrites, guestWrites, moderationWrites, gameWrites, friendWrites];
    for (const [weight, name, run] of others.flatMap((writes) => writes(drawn, scene))) {
      operations.push([weight, one(name, run)]);
    }
  }
  let at = random() * operations.reduce((sum, [weight]) => sum + weight, 0);
  for (const [weight, operation] of operations) {
    at -= weight;
    if (at < 0) return operation;
  }
  return one('readPosition', (db) => db.read(readPlace, defaultBoardOf(owner.gameId), owner.wallet));
}

function play(number: number, isOver: boolean) {
  const sessionId = `00000000-0000-4000-8000-0000000000${(number % 90) + 10}`;
  return { sessionId, state: `{"n":${number}}`, ...(isOver && { endTime: Date.UTC(2030, 0, 1) }) };
}

function policiesOf(number: number) {
  const order = number % 2 ? ('desc' as const) : ('asc' as const);
  return { leaderboard: { order, keep: number % 3 ? ('best' as const) : ('latest' as const) } };
}
