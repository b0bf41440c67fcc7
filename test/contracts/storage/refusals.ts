import type { Reason } from '../../../src/core/errors.ts';
import { newId } from '../../../src/core/schemas/ids.ts';
import type { Owner } from '../../../src/core/schemas/owner.ts';
import type { Database } from '../../../src/core/storage/database.ts';
import { recordActivity } from '../../../src/features/activities/commands.ts';
import { listActivities } from '../../../src/features/activities/queries.ts';
import { addGameSecret, consumeNonce } from '../../../src/features/games/commands.ts';
import { allGames, sealedSecrets } from '../../../src/features/games/queries.ts';
import {
  addToChannel,
  createChannel,
  editChannelInfo,
  removeFromChannel,
} from '../../../src/features/messages/channel-commands.ts';
import { editMessage, sendMessage, unsendMessage } from '../../../src/features/messages/message-commands.ts';
import { listChannelMessages, listChannels } from '../../../src/features/messages/queries.ts';
import { trackPlaySession } from '../../../src/features/play-sessions/commands.ts';
import { replaceRules, triggerRules } from '../../../src/features/rules/commands.ts';
import { readRules } from '../../../src/features/rules/queries.ts';
import { ruleList } from '../../../src/features/rules/rule.ts';
import { defaultBoardOf } from '../../../src/features/scores/board-rows.ts';
import { setScore } from '../../../src/features/scores/commands.ts';
import { readBoardPage } from '../../../src/features/scores/leaderboard-queries.ts';
import { listScores } from '../../../src/features/scores/queries.ts';
import { endSession, startSession } from '../../../src/features/sessions/commands.ts';
import { findSession, liveSessions } from '../../../src/features/sessions/queries.ts';
import {
  beginAttempt,
  completeSignIn,
  requestSignIn,
} from '../../../src/features/sessions/sign-in-commands.ts';
import { patchState, removeState, saveState, saveStates } from '../../../src/features/states/commands.ts';
import { listPlayerStates } from '../../../src/features/states/queries.ts';
import {
  addWebhook,
  changeWebhook,
  deleteWebhook,
  replayDelivery,
} from '../../../src/features/webhooks/commands.ts';
import { readDeliveries, readWebhooks } from '../../../src/features/webhooks/queries.ts';
import { addGame, addPlayer, type DatabaseUnderTest, hour, sealedSecret, wholePage } from './fixture.ts';

/** One player and object of every kind, which refused writes must not change. */
export interface Scene {
  fixture: DatabaseUnderTest;
  gameId: string;
  /** Started the channel and sent the message. */
  ada: Owner;
  /** Is in the channel. */
  grace: Owner;
  /** Plays the game and is not in the channel. */
  eve: Owner;
  channelId: string;
  messageId: string;
  sessionId: string;
  playSessionId: string;
  endedPlaySessionId: string;
  signIn: { fresh: string; used: string; expired: string; exhausted: string };
}

/** Creates the scene. */
export async function stage(fixture: DatabaseUnderTest): Promise<Scene> {
  const { db, clock } = fixture;
  const { id: gameId } = await addGame(db, { slug: 'taken' });
  const [ada, grace, eve] = [
    await addPlayer(db, gameId),
    await addPlayer(db, gameId),
    await addPlayer(db, gameId),
  ];
  const signIn = { fresh: newId(), used: newId(), expired: newId(), exhausted: newId() };
  for (const id of Object.values(signIn)) {
    const expiresAt = clock.now + (id === signIn.expired ? 1 : hour);
    await db.write(requestSignIn, { id, gameId, wallet: ada.wallet, signRequest: 'sign', expiresAt });
  }
  for (let attempt = 0; attempt < 5; attempt++) await db.write(beginAttempt, signIn.exhausted);
  await db.write(completeSignIn, signIn.used, hour);
  const { session } = await db.write(startSession, ada, hour);
  const channel = await db.write(createChannel, ada, [grace.wallet]);
  const message = await db.write(sendMessage, ada, channel._id, 'hello');
  await db.write(setScore, ada, 1, 'n');
  await db.write(saveState, ada, 'hero', '{}', 'bafk');
  await db.write(recordActivity, ada, { label: 'l', eventId: 'e' });
  await db.write(consumeNonce, gameId, 'seen');
  const rules = ruleList.parse([
    { trigger: 't', actions: [{ type: 'UpdateScore', mode: 'add', amount: 1 }] },
  ]);
  await db.write(replaceRules, gameId, rules);
  await db.write(triggerRules, ada, { trigger: 't', nonce: 'used' });
  const [playSessionId, endedPlaySessionId] = [newId(), newId()];
  await db.write(trackPlaySession, ada, { sessionId: playSessionId, state: '{}' });
  await db.write(trackPlaySession, ada, {
    sessionId: endedPlaySessionId,
    state: '{}',
    endTime: clock.now,
  });
  // Last, so that it only receives what a refused write would leave behind.
  await db.write(addWebhook, { gameId, url: 'https://a.example/', filter: 'all', sealedSecret: 'sealed' });
  clock.advance(1_000);
  return {
    fixture,
    gameId,
    ada,
    grace,
    eve,
    channelId: channel._id,
    messageId: message._id,
    sessionId: session.id,
    playSessionId,
    endedPlaySessionId,
    signIn,
  };
}

/** The scene's whole readable state. */
export async function snapshot({ fixture: { db }, gameId, ada, grace, eve, channelId, sessionId }: Scene) {
  const ofEach = <Found>(read: (owner: Owner) => Promise<Found>) => Promise.all([ada, grace, eve].map(read));
  return {
    games: await db.read(allGames),
    secrets: await db.read(sealedSecrets, gameId),
    rules: await db.read(readRules, gameId),
    webhooks: await db.read(readWebhooks),
    deliveries: await db.read(readDeliveries, {}, wholePage),
    leaderboard: await db.read(readBoardPage, defaultBoardOf(gameId), wholePage),
    activities: await db.read(listActivities, {}, wholePage),
    session: await db.read(findSession, sessionId),
    sessions: await ofEach((owner) => db.read(liveSessions, owner.wallet)),
    scores: await ofEach((owner) => db.read(listScores, owner, wholePage)),
    states: await ofEach((owner) => db.read(listPlayerStates, owner, wholePage)),
    channels: await ofEach((owner) => db.read(listChannels, owner, wholePage)),
    messages: await db.read(listChannelMessages, ada, channelId, wholePage),
  };
}

interface Refusal {
  what: string;
  reason: Reason;
  attempt(scene: Scene): Promise<unknown>;
}

function refusal(
  what: string,
  reason: Reason,
  attempt: (db: Database, scene: Scene) => Promise<unknown>,
): Refusal {
  return { what, reason, attempt: (scene) => attempt(scene.fixture.db, scene) };
}

/** Every way in which a write can be refused. */
export const refusals: readonly Refusal[] = [
  refusal('a slug in use', 'slug_taken', (db) => addGame(db, { slug: 'taken' })),
  refusal('a new secret for no game', 'game_unknown', (db) =>
    db.write(addGameSecret, 'none', sealedSecret(), { graceMs: 0 }),
  ),
  refusal('a request nonce seen before', 'nonce_replayed', (db, { gameId }) =>
    db.write(consumeNonce, gameId, 'seen'),
  ),
  refusal('an attempt at no sign-in', 'sign_in_unknown', (db) => db.write(beginAttempt, 'none')),
  refusal('an attempt at a used sign-in', 'sign_in_used', (db, { signIn }) =>
    db.write(beginAttempt, signIn.used),
  ),
  refusal('an attempt at an expired sign-in', 'sign_in_expired', (db, { signIn }) =>
    db.write(beginAttempt, signIn.expired),
  ),
  refusal('a sixth attempt', 'sign_in_attempts_exhausted', (db, { signIn }) =>
    db.write(beginAttempt, signIn.exhausted),
  ),
  refusal('completing no sign-in', 'sign_in_unknown', (db) => db.write(completeSignIn, 'none', hour)),
  refusal('completing a used sign-in', 'sign_in_used', (db, { signIn }) =>
    db.write(completeSignIn, signIn.used, hour),
  ),
  refusal('completing an expired sign-in', 'sign_in_expired', (db, { signIn }) =>
    db.write(completeSignIn, signIn.expired, hour),
  ),
  refusal('a session in no game', 'game_unknown', (db, { ada }) =>
    db.write(startSession, { ...ada, gameId: 'none' }, hour),
  ),
  refusal("ending another player's session", 'session_unknown', (db, { eve, sessionId }) =>
    db.write(endSession, eve.wallet, sessionId),
  ),
  refusal('a state that has another version', 'version_conflict', (db, { ada }) =>
    db.write(saveState, ada, 'hero', '1', 'bafk', undefined, { ifVersion: 2 }),
  ),
  refusal('the second of two states, which is missing', 'version_conflict', (db, { ada }) =>
    db.write(saveStates, ada, [
      { label: 'hero', json: '1', ipfsHash: 'bafk' },
      { label: 'none', json: '1', ipfsHash: 'bafk', ifVersion: 1 },
    ]),
  ),
  refusal('a patch of a state that should not be there', 'version_conflict', (db, { ada }) =>
    db.write(patchState, ada, 'hero', '1', undefined, { ifVersion: 0 }),
  ),
  refusal('removing a state that has another version', 'version_conflict', (db, { ada }) =>
    db.write(removeState, ada, 'hero', 2),
  ),
  refusal("another player's play session", 'play_session_not_yours', (db, { eve, playSessionId }) =>
    db.write(trackPlaySession, eve, { sessionId: playSessionId, state: '1' }),
  ),
  refusal('changing an ended play session', 'play_session_ended', (db, { ada, endedPlaySessionId }) =>
    db.write(trackPlaySession, ada, { sessionId: endedPlaySessionId, state: '1' }),
  ),
  refusal('an end before the start', 'end_time_before_start', (db, { ada, playSessionId }) =>
    db.write(trackPlaySession, ada, { sessionId: playSessionId, state: '1', endTime: 1 }),
  ),
  refusal('adding to a channel one is not in', 'channel_unknown', (db, { eve, channelId }) =>
    db.write(addToChannel, eve, channelId, eve.wallet),
  ),
  refusal('adding to no channel', 'channel_unknown', (db, { ada, eve }) =>
    db.write(addToChannel, ada, 'none', eve.wallet),
  ),
  refusal('adding without the permission', 'permission_missing', (db, { grace, eve, channelId }) =>
    db.write(addToChannel, grace, channelId, eve.wallet),
  ),
  refusal('adding a current participant', 'participants_invalid', (db, { ada, grace, channelId }) =>
    db.write(addToChannel, ada, channelId, grace.wallet),
  ),
  refusal('removing from a channel one is not in', 'channel_unknown', (db, { eve, ada, channelId }) =>
    db.write(removeFromChannel, eve, channelId, ada.wallet),
  ),
  refusal('removing another without the permission', 'permission_missing', (db, { grace, ada, channelId }) =>
    db.write(removeFromChannel, grace, channelId, ada.wallet),
  ),
  refusal('removing a non-participant', 'participants_invalid', (db, { ada, eve, channelId }) =>
    db.write(removeFromChannel, ada, channelId, eve.wallet),
  ),
  refusal('naming a channel one is not in', 'channel_unknown', (db, { eve, channelId }) =>
    db.write(editChannelInfo, eve, channelId, { name: 'Eve was here' }),
  ),
  refusal('naming a channel without the permission', 'permission_missing', (db, { grace, channelId }) =>
    db.write(editChannelInfo, grace, channelId, { name: 'Mine' }),
  ),
  refusal('a message to a channel one is not in', 'channel_unknown', (db, { eve, channelId }) =>
    db.write(sendMessage, eve, channelId, 'hi'),
  ),
  refusal("editing another's message", 'not_the_sender', (db, { grace, messageId }) =>
    db.write(editMessage, grace, messageId, 'forged'),
  ),
  refusal('editing a message one cannot see', 'message_unknown', (db, { eve, messageId }) =>
    db.write(editMessage, eve, messageId, 'forged'),
  ),
  refusal('editing no message', 'message_unknown', (db, { ada }) => db.write(editMessage, ada, 'none', 'hi')),
  refusal("unsending another's message", 'not_the_sender', (db, { grace, messageId }) =>
    db.write(unsendMessage, grace, messageId),
  ),
  refusal('unsending a message one cannot see', 'message_unknown', (db, { eve, messageId }) =>
    db.write(unsendMessage, eve, messageId),
  ),
  refusal('unsending no message', 'message_unknown', (db, { ada }) => db.write(unsendMessage, ada, 'none')),
  refusal('a webhook for no game', 'game_unknown', (db) =>
    db.write(addWebhook, { gameId: 'none', url: 'https://b.example/', filter: 'all', sealedSecret: 's' }),
  ),
  refusal('changing no webhook', 'webhook_unknown', (db) =>
    db.write(changeWebhook, 'none', { enabled: false }),
  ),
  refusal('removing no webhook', 'webhook_unknown', (db) => db.write(deleteWebhook, 'none')),
  refusal('replaying no delivery', 'delivery_unknown', (db) => db.write(replayDelivery, 'none')),
  refusal('rules for no game', 'game_unknown', (db) => db.write(replaceRules, 'none', [])),
  refusal('a trigger nonce used for another value', 'nonce_reused', (db, { ada }) =>
    db.write(triggerRules, ada, { trigger: 't', value: 5, nonce: 'used' }),
  ),
];
