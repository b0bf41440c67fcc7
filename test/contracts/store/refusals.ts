import { newId } from '../../../src/domain/ids.ts';
import type { Reason } from '../../../src/errors.ts';
import { ruleList } from '../../../src/rules/rule.ts';
import type { Owner, Store } from '../../../src/store/store.ts';
import { addGame, addPlayer, hour, type StoreUnderTest, sealedSecret, wholePage } from './fixture.ts';

/** Someone and something of every kind, for a refused write to leave alone. */
export interface Scene {
  fixture: StoreUnderTest;
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

/** Sets the scene. */
export async function stage(fixture: StoreUnderTest): Promise<Scene> {
  const { store, clock } = fixture;
  const { id: gameId } = await addGame(store, { slug: 'taken' });
  const [ada, grace, eve] = [
    await addPlayer(store, gameId),
    await addPlayer(store, gameId),
    await addPlayer(store, gameId),
  ];
  const signIn = { fresh: newId(), used: newId(), expired: newId(), exhausted: newId() };
  for (const id of Object.values(signIn)) {
    const expiresAt = clock.now + (id === signIn.expired ? 1 : hour);
    await store.sessions.requestSignIn({ id, gameId, wallet: ada.wallet, signRequest: 'sign', expiresAt });
  }
  for (let attempt = 0; attempt < 5; attempt++) await store.sessions.beginAttempt(signIn.exhausted);
  await store.sessions.completeSignIn(signIn.used, hour);
  const { session } = await store.sessions.open(ada, hour);
  const channel = await store.messageChannels.create(ada, [grace.wallet]);
  const message = await store.messages.send(ada, channel._id, 'hello');
  await store.scores.set(ada, 1, 'n');
  await store.states.set(ada, 'hero', '{}', 'bafk');
  await store.activities.record(ada, { label: 'l', eventId: 'e' });
  await store.games.consumeNonce(gameId, 'seen');
  const rules = ruleList.parse([
    { trigger: 't', actions: [{ type: 'UpdateScore', mode: 'add', amount: 1 }] },
  ]);
  await store.rules.set(gameId, rules);
  await store.rules.trigger(ada, { trigger: 't', nonce: 'used' });
  const [playSessionId, endedPlaySessionId] = [newId(), newId()];
  await store.playSessions.track(ada, { sessionId: playSessionId, state: '{}' });
  await store.playSessions.track(ada, { sessionId: endedPlaySessionId, state: '{}', endTime: clock.now });
  // Last, so that it is told only of what a refused write would leave behind.
  await store.webhooks.create({ gameId, url: 'https://a.example/', filter: 'all', sealedSecret: 'sealed' });
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

/** Everything that can be read of the scene. */
export async function snapshot({ fixture: { store }, gameId, ada, grace, eve, channelId, sessionId }: Scene) {
  const ofEach = <Found>(read: (owner: Owner) => Promise<Found>) => Promise.all([ada, grace, eve].map(read));
  return {
    games: await store.games.list(),
    secrets: await store.games.sealedSecrets(gameId),
    rules: await store.rules.get(gameId),
    webhooks: await store.webhooks.list(),
    deliveries: await store.webhooks.deliveries({}, wholePage),
    leaderboard: await store.scores.leaderboard(gameId, wholePage),
    activities: await store.activities.list({}, wholePage),
    session: await store.sessions.find(sessionId),
    sessions: await ofEach((owner) => store.sessions.listLive(owner.wallet)),
    scores: await ofEach((owner) => store.scores.list(owner, wholePage)),
    states: await ofEach((owner) => store.states.list(owner, wholePage)),
    channels: await ofEach((owner) => store.messageChannels.list(owner, wholePage)),
    messages: await store.messages.list(ada, channelId, wholePage),
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
  attempt: (store: Store, scene: Scene) => Promise<unknown>,
): Refusal {
  return { what, reason, attempt: (scene) => attempt(scene.fixture.store, scene) };
}

/** Every way a write can be refused. */
export const refusals: readonly Refusal[] = [
  refusal('a slug that is taken', 'slug_taken', (store) => addGame(store, { slug: 'taken' })),
  refusal('a new secret for no game', 'game_unknown', (store) =>
    store.games.rotateSecret('none', sealedSecret(), { graceMs: 0 }),
  ),
  refusal('a request nonce seen before', 'nonce_replayed', (store, { gameId }) =>
    store.games.consumeNonce(gameId, 'seen'),
  ),
  refusal('an attempt at no sign-in', 'sign_in_unknown', (store) => store.sessions.beginAttempt('none')),
  refusal('an attempt at a used sign-in', 'sign_in_used', (store, { signIn }) =>
    store.sessions.beginAttempt(signIn.used),
  ),
  refusal('an attempt at an expired sign-in', 'sign_in_expired', (store, { signIn }) =>
    store.sessions.beginAttempt(signIn.expired),
  ),
  refusal('a sixth attempt', 'sign_in_attempts_exhausted', (store, { signIn }) =>
    store.sessions.beginAttempt(signIn.exhausted),
  ),
  refusal('completing no sign-in', 'sign_in_unknown', (store) => store.sessions.completeSignIn('none', hour)),
  refusal('completing a used sign-in', 'sign_in_used', (store, { signIn }) =>
    store.sessions.completeSignIn(signIn.used, hour),
  ),
  refusal('completing an expired sign-in', 'sign_in_expired', (store, { signIn }) =>
    store.sessions.completeSignIn(signIn.expired, hour),
  ),
  refusal('a session in no game', 'game_unknown', (store, { ada }) =>
    store.sessions.open({ ...ada, gameId: 'none' }, hour),
  ),
  refusal("ending another player's session", 'session_unknown', (store, { eve, sessionId }) =>
    store.sessions.end(eve.wallet, sessionId),
  ),
  refusal("another player's play session", 'play_session_not_yours', (store, { eve, playSessionId }) =>
    store.playSessions.track(eve, { sessionId: playSessionId, state: '1' }),
  ),
  refusal('changing an ended play session', 'play_session_ended', (store, { ada, endedPlaySessionId }) =>
    store.playSessions.track(ada, { sessionId: endedPlaySessionId, state: '1' }),
  ),
  refusal('an end before the start', 'end_time_before_start', (store, { ada, playSessionId }) =>
    store.playSessions.track(ada, { sessionId: playSessionId, state: '1', endTime: 1 }),
  ),
  refusal('adding to a channel one is not in', 'channel_unknown', (store, { eve, channelId }) =>
    store.messageChannels.addParticipant(eve, channelId, eve.wallet),
  ),
  refusal('adding to no channel', 'channel_unknown', (store, { ada, eve }) =>
    store.messageChannels.addParticipant(ada, 'none', eve.wallet),
  ),
  refusal('adding without the permission', 'permission_missing', (store, { grace, eve, channelId }) =>
    store.messageChannels.addParticipant(grace, channelId, eve.wallet),
  ),
  refusal('adding who is there', 'participants_invalid', (store, { ada, grace, channelId }) =>
    store.messageChannels.addParticipant(ada, channelId, grace.wallet),
  ),
  refusal('removing from a channel one is not in', 'channel_unknown', (store, { eve, ada, channelId }) =>
    store.messageChannels.removeParticipant(eve, channelId, ada.wallet),
  ),
  refusal(
    'removing another without the permission',
    'permission_missing',
    (store, { grace, ada, channelId }) =>
      store.messageChannels.removeParticipant(grace, channelId, ada.wallet),
  ),
  refusal('removing who is not there', 'participants_invalid', (store, { ada, eve, channelId }) =>
    store.messageChannels.removeParticipant(ada, channelId, eve.wallet),
  ),
  refusal('naming a channel one is not in', 'channel_unknown', (store, { eve, channelId }) =>
    store.messageChannels.editInfo(eve, channelId, { name: 'Eve was here' }),
  ),
  refusal('naming a channel without the permission', 'permission_missing', (store, { grace, channelId }) =>
    store.messageChannels.editInfo(grace, channelId, { name: 'Mine' }),
  ),
  refusal('a message to a channel one is not in', 'channel_unknown', (store, { eve, channelId }) =>
    store.messages.send(eve, channelId, 'hi'),
  ),
  refusal("editing another's message", 'not_the_sender', (store, { grace, messageId }) =>
    store.messages.edit(grace, messageId, 'forged'),
  ),
  refusal('editing a message one cannot see', 'message_unknown', (store, { eve, messageId }) =>
    store.messages.edit(eve, messageId, 'forged'),
  ),
  refusal('editing no message', 'message_unknown', (store, { ada }) =>
    store.messages.edit(ada, 'none', 'hi'),
  ),
  refusal("unsending another's message", 'not_the_sender', (store, { grace, messageId }) =>
    store.messages.unsend(grace, messageId),
  ),
  refusal('unsending a message one cannot see', 'message_unknown', (store, { eve, messageId }) =>
    store.messages.unsend(eve, messageId),
  ),
  refusal('unsending no message', 'message_unknown', (store, { ada }) => store.messages.unsend(ada, 'none')),
  refusal('a webhook for no game', 'game_unknown', (store) =>
    store.webhooks.create({ gameId: 'none', url: 'https://b.example/', filter: 'all', sealedSecret: 's' }),
  ),
  refusal('changing no webhook', 'webhook_unknown', (store) =>
    store.webhooks.update('none', { enabled: false }),
  ),
  refusal('removing no webhook', 'webhook_unknown', (store) => store.webhooks.remove('none')),
  refusal('replaying no delivery', 'delivery_unknown', (store) => store.webhooks.replay('none')),
  refusal('rules for no game', 'game_unknown', (store) => store.rules.set('none', [])),
  refusal('a trigger nonce used for another value', 'nonce_reused', (store, { ada }) =>
    store.rules.trigger(ada, { trigger: 't', value: 5, nonce: 'used' }),
  ),
];
