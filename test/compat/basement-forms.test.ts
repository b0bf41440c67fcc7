import { io } from 'socket.io-client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { recordActivity } from '../../src/features/activities/commands.ts';
import { apiOf } from '../support/api.ts';
import { startTestServer, type TestPlayer, type TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';

/** The forms in which the schemas of `@b3dotfun/basement-api` name inputs and outputs, besides ours. */

let server: TestServer;
let gameId: string;
let ada: TestPlayer;
let grace: TestPlayer;
let eve: TestPlayer;
beforeAll(async () => {
  server = await startTestServer();
  ({ gameId } = await server.createGame());
  [ada, grace, eve] = await Promise.all([
    server.openSession(gameId),
    server.openSession(gameId),
    server.openSession(gameId),
  ]);
});
afterAll(() => server.close());

type Call = (service: string, method: string, input: object | null, by?: TestPlayer) => Promise<unknown>;

/** The result, or the error body. */
const transports: Record<string, Call> = {
  'method dispatch': async (service, method, input, by = ada) =>
    (await apiOf(server).dispatch(method, { launcherJwt: by.launcherJwt, ...input }, { service })).body,
  'a socket': (service, method, input, by = ada) =>
    onSocket({ launcherJwt: by.launcherJwt }, (emit) => emit(service, method, input)),
  'an anonymous socket': (service, method, input, by = ada) =>
    onSocket({}, (emit) => emit(service, method, { launcherJwt: by.launcherJwt, ...input })),
};

async function onSocket<Result>(
  auth: Record<string, unknown>,
  use: (emit: (service: string, method: string, input: unknown) => Promise<unknown>) => Promise<Result>,
): Promise<Result> {
  const socket = io(server.url, { auth, transports: ['websocket'], forceNew: true });
  try {
    return await use(
      (service, method, input) =>
        new Promise((resolve) => {
          socket.emit(method, service, input, {}, (error: unknown, answer: unknown) =>
            resolve(error ?? answer),
          );
        }),
    );
  } finally {
    socket.disconnect();
  }
}

const refused = (reason: string, path?: string) => ({
  success: false,
  data: { reason },
  ...(path && { errors: [expect.objectContaining({ path })] }),
});

describe.each(Object.entries(transports))('by %s', (_, call) => {
  const newGroup = async (input: object = {}) =>
    Object(
      await call('message-channels', 'createNewGroupChat', {
        otherParticipants: [
          { wallet: (await server.openSession(gameId)).wallet, permissions: ['send-messages'] },
        ],
        ...input,
      }),
    );

  test('createNewGroupChat starts a channel with a name, and permissions for each', async () => {
    const other = await server.openSession(gameId);
    const group = await newGroup({
      name: 'Crew',
      otherParticipants: [{ wallet: other.wallet, permissions: ['send-messages', 'edit-info'] }],
    });
    expect(group).toMatchObject({
      name: 'Crew',
      gameId,
      participants: [
        { wallet: ada.wallet, permissions: expect.arrayContaining(['super-admin']) },
        { wallet: other.wallet, permissions: ['send-messages', 'edit-info'] },
      ],
    });
    const input = {
      messageChannelId: group._id,
      newTitle: 'Ours',
      newImage: 'https://pictures.example/crew.png',
    };
    expect(await call('message-channels', 'editGroupInfo', input, other)).toMatchObject({
      name: 'Ours',
      chatPicture: 'https://pictures.example/crew.png',
    });
  });

  test('editGroupInfo keeps fields that are null or missing', async () => {
    const { _id: messageChannelId } = await newGroup({ name: 'Crew' });
    const input = { messageChannelId, newTitle: null, newImage: 'https://pictures.example/a.png' };
    expect(await call('message-channels', 'editGroupInfo', input)).toMatchObject({ name: 'Crew' });
  });

  test('addParticipant and removeParticipant accept a participant', async () => {
    const { _id: messageChannelId } = await newGroup();
    const participant = { wallet: grace.wallet, userGroup: 0, permissions: ['send-messages', 'add-members'] };
    const added = Object(await call('message-channels', 'addParticipant', { messageChannelId, participant }));
    expect(added.participants.at(-1)).toMatchObject({
      wallet: grace.wallet,
      permissions: participant.permissions,
    });

    const byGrace = (permissions: string[]) =>
      call(
        'message-channels',
        'addParticipant',
        { messageChannelId, participant: { wallet: eve.wallet, permissions } },
        grace,
      );
    // Nobody can grant permissions they do not have.
    expect(await byGrace(['super-admin'])).toMatchObject(refused('permission_missing'));
    expect(await byGrace(['edit-info'])).toMatchObject(refused('permission_missing'));
    expect(await byGrace(['add-members'])).toMatchObject({ _id: messageChannelId });

    const removed = Object(
      await call('message-channels', 'removeParticipant', {
        messageChannelId,
        participant: { byWallet: eve.wallet },
      }),
    );
    expect(removed.participants.map(({ wallet }: { wallet: string }) => wallet)).not.toContain(eve.wallet);
  });

  test('unsupported channel settings are refused, rather than ignored silently', async () => {
    const { _id: messageChannelId } = await newGroup();
    const inGroup = { permissions: ['send-messages'], userGroup: 2 };
    const group = { otherParticipants: [{ ...inGroup, wallet: eve.wallet }] };
    expect(await call('message-channels', 'createNewGroupChat', group)).toMatchObject(
      refused('participants_invalid', 'otherParticipants.0.userGroup'),
    );
    const participant = { ...inGroup, wallet: eve.wallet };
    expect(await call('message-channels', 'addParticipant', { messageChannelId, participant })).toMatchObject(
      refused('input_invalid', 'participant.userGroup'),
    );
    const byUserGroup = { messageChannelId, participant: { byUserGroup: 2 } };
    // In particular, nobody removes themselves by naming a group.
    expect(await call('message-channels', 'removeParticipant', byUserGroup)).toMatchObject(
      refused('address_invalid'),
    );
    const reply = { channelId: messageChannelId, content: 'Yes', parentId: crypto.randomUUID() };
    expect(await call('chat-messages', 'sendMessage', reply)).toMatchObject(
      refused('input_invalid', 'parentId'),
    );
  });

  test('createMessageChannel accepts a channelName; an existing channel keeps its own', async () => {
    const { wallet } = await server.openSession(gameId);
    const start = (channelName: string) =>
      call('launcher', 'createMessageChannel', { otherParticipants: [wallet], channelName });
    const channel = Object(await start('Us two'));
    expect(channel.name).toBe('Us two');
    expect(await start('Others')).toEqual(channel);
  });

  test('getUserChannels, sendMessage, editMessage, getMessages and unsendMessage are the launcher’s operations', async () => {
    const { _id: channelId } = await newGroup();
    const { data } = Object(await call('message-channels', 'getUserChannels', { limit: 0, skip: 0 }));
    expect(data[0]._id).toBe(channelId);
    const sent = Object(
      await call('chat-messages', 'sendMessage', { channelId, content: 'Hi', parentId: '' }),
    );
    expect(sent).toMatchObject({ channelId, senderId: ada.wallet, content: 'Hi' });
    const edited = await call('chat-messages', 'editMessage', { messageId: sent._id, newContent: 'Hello' });
    expect(edited).toMatchObject({ _id: sent._id, content: 'Hello' });
    expect(await call('chat-messages', 'getMessages', { channelId, limit: 10, skip: 0 })).toMatchObject({
      total: 1,
      data: [edited],
    });
    const unsent = await call('chat-messages', 'unsendMessage', { messageId: sent._id });
    expect(unsent).toMatchObject({ _id: sent._id, channelId, content: '' });
    expect(await call('chat-messages', 'getMessages', { channelId })).toMatchObject({ total: 0 });
  });

  test('a non-participant learns nothing of a channel in these forms either', async () => {
    const { _id: messageChannelId } = await newGroup();
    const participant = { wallet: eve.wallet, permissions: [] };
    for (const [method, input] of [
      ['addParticipant', { participant }],
      ['removeParticipant', { participant: { byWallet: ada.wallet } }],
      ['editGroupInfo', { newTitle: 'Mine' }],
    ] as const) {
      const answer = await call('message-channels', method, { messageChannelId, ...input }, eve);
      expect(answer).toMatchObject(refused('channel_unknown'));
    }
  });
});

test('names of one service are unknown to others', async () => {
  for (const service of ['launcher', 'chat-messages']) {
    const answer = await apiOf(server).dispatch('createNewGroupChat', {}, { service });
    expect(answer.body).toMatchObject(refused('method_unknown'));
  }
});

describe('the feed', () => {
  test.each(['chainId=8333', 'filter[walletAddresses][]=0x12', 'filter[minimumTimestamp]=5'])(
    'refuses %s rather than ignoring it',
    async (query) => {
      const { status, body } = await apiOf(server).get(`/activities?gameId=${gameId}&${query}`);
      expect({ status, body }).toMatchObject({ status: 400, body: refused('input_invalid') });
    },
  );

  test('treats chainId 0 as missing', async () => {
    expect((await apiOf(server).get(`/activities?gameId=${gameId}&chainId=0`)).status).toBe(200);
  });
});

describe('realtime-events', () => {
  test.each([
    ['with the handshake’s token', () => ({ launcherJwt: ada.launcherJwt }), () => ({})],
    ['with the data’s token', () => ({}), () => ({ launcherJwt: ada.launcherJwt })],
  ])('accepts channel names and returns a list of names, %s', async (_, auth, token) => {
    const socket = io(server.url, { auth: auth(), transports: ['websocket'], forceNew: true });
    const received: unknown[] = [];
    socket.on('activities created', (record) => received.push(record));
    const call = (method: string, data: unknown) =>
      new Promise<unknown>((resolve) => {
        socket.emit(method, 'realtime-events', data, {}, (error: unknown, answer: unknown) =>
          resolve(error ?? answer),
        );
      });
    const names = [`game:${gameId}`];
    const subscription = { channel: 'game-stats', gameIds: [gameId], filter: 'all' };
    expect(await call('subscribe', { ...subscription, ...token() })).toEqual({ channels: names });
    expect(await call('getSubscribedChannels', { asNames: true, ...token() })).toEqual(names);
    await server.services.db.write(recordActivity, grace, { label: 'came by', eventId: 'came' });
    await until('the activity', () => received.length > 0);
    expect(await call('unsubscribe', { channels: names, ...token() })).toBeNull();
    expect(await call('getSubscribedChannels', { asNames: true, ...token() })).toEqual([]);
    socket.disconnect();
  });

  test('returns names when the data is null, as Feathers clients of the package send it', async () => {
    const answers = await onSocket({ launcherJwt: ada.launcherJwt }, async (emit) => [
      await emit('realtime-events', 'getSubscribedChannels', null),
      await emit('realtime-events', 'getSubscribedChannels', {}),
    ]);
    expect(answers).toEqual([[], { success: true, channels: [] }]);
  });

  test('refuses tournaments, which do not exist', async () => {
    const answer = await onSocket({ launcherJwt: ada.launcherJwt }, (emit) =>
      emit('realtime-events', 'subscribe', { channel: 'tournaments', tournamentSlug: 'spring' }),
    );
    expect(answer).toMatchObject(refused('input_invalid'));
  });

  test('does not let a game subscribe to another one by these forms', async () => {
    const { gameId: other } = await server.createGame();
    const answer = await onSocket({ launcherJwt: ada.launcherJwt }, (emit) =>
      emit('realtime-events', 'subscribe', { channel: 'game-stats', gameIds: [gameId, other] }),
    );
    expect(answer).toMatchObject(refused('not_a_launcher'));
  });
});

describe('a call with one payload', () => {
  test.each([
    ['with the token in the data', () => ({}), () => ({ launcherJwt: ada.launcherJwt })],
    ['with the token of the handshake', () => ({ launcherJwt: ada.launcherJwt }), () => ({})],
  ])('is for the launcher, %s', async (_, auth, token) => {
    const socket = io(server.url, { auth: auth(), transports: ['websocket'], forceNew: true });
    const call = (method: string, ...args: unknown[]) =>
      new Promise<unknown>((resolve) => {
        socket.emit(method, ...args, (error: unknown, answer: unknown) => resolve(error ?? answer));
      });
    expect(await call('setUserScore', { score: 9, ...token() })).toMatchObject({ newScore: { score: 9 } });
    expect(await call('noSuchMethod', { ...token() })).toMatchObject(refused('method_unknown'));
    expect(await call('setUserScore', [{ score: 9, ...token() }])).toMatchObject(refused('body_not_object'));
    expect(await call('setUserScore')).toMatchObject(refused('service_unknown'));
    socket.disconnect();
  });
});
