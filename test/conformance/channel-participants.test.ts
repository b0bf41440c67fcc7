import { afterAll, describe, expect, it } from 'vitest';
import { apiOf } from '../support/api.ts';
import { conversationsOn } from '../support/conversations.ts';
import { faults, itRefuses, missing, notStrings, requiredString } from '../support/field-faults.ts';
import { accepted, refused } from '../support/outcome.ts';
import { channelMessage, messageChannel, page } from '../support/records.ts';
import { randomWallet, startTestServer, type TestPlayer } from '../support/server.ts';

const server = await startTestServer();
afterAll(server.close);
const api = apiOf(server);
const { gameId } = await server.createGame();
// The same wallets in every run, because some appear in test names.
const ada = await server.openSession(gameId, `0x${'a1'.repeat(20)}`);
const grace = await server.openSession(gameId, `0x${'b2'.repeat(20)}`);
const eve = await server.openSession(gameId, `0x${'e3'.repeat(20)}`);

const channels = page(messageChannel);
const messages = page(channelMessage);

const writing = ['send-messages'];

const { as, create, send } = conversationsOn(api);

/** A new channel of a new player with these others. */
async function newChannel(...others: TestPlayer[]) {
  const creator = await server.openSession(gameId);
  return { creator, channel: await create(creator, ...others) };
}

describe('addParticipant', () => {
  it('adds a player, who may write and read earlier messages', async () => {
    const { creator, channel } = await newChannel(grace);
    await send(creator, channel._id, 'before');
    const answer = await as(creator, 'add-participant', { channelId: channel._id, wallet: eve.wallet });
    const wider = accepted(answer, messageChannel);
    expect(wider).toMatchObject({ _id: channel._id, createdAt: channel.createdAt });
    expect(wider.participants).toEqual([
      ...channel.participants,
      { wallet: eve.wallet, userGroup: 0, permissions: writing },
    ]);
    const list = await as(eve, 'get-channel-messages', { channelId: channel._id });
    expect(accepted(list, messages).total).toBe(1);
    await send(eve, channel._id, 'hello');
  });

  it('is also available on the service message-channels, over HTTP', async () => {
    const { creator, channel } = await newChannel(grace);
    const body = { launcherJwt: creator.launcherJwt, channelId: channel._id, wallet: eve.wallet };
    const answer = await api.dispatch('addParticipant', body, { service: 'message-channels' });
    expect(accepted(answer, messageChannel).participants).toHaveLength(3);
  });

  it('requires the permission add-members', async () => {
    const { channel } = await newChannel(grace);
    const answer = await as(grace, 'add-participant', { channelId: channel._id, wallet: eve.wallet });
    refused(answer, 401, 'permission_missing');
  });

  it('refuses a player who is already in the channel, and one participant too many', async () => {
    const creator = await server.openSession(gameId);
    const full = await create(creator, ...Array.from({ length: 255 }, randomWallet));
    const [, other] = full.participants;
    for (const wallet of [creator.wallet, other?.wallet, randomWallet()]) {
      const answer = await as(creator, 'add-participant', { channelId: full._id, wallet });
      refused(answer, 400, 'participants_invalid');
    }
  });

  const body = () => ({ launcherJwt: ada.launcherJwt, channelId: 'c', wallet: eve.wallet });
  itRefuses(api, '/launcher/add-participant', body, [
    ...requiredString('channelId'),
    ...faults('wallet', [missing, ...notStrings, '', '0x12'], 'address_invalid'),
    ...faults('wallet', ['0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD'], 'address_invalid'),
  ]);
});

describe('removeParticipant', () => {
  it('lets a participant leave, who then has no access', async () => {
    const { creator, channel } = await newChannel(grace, eve);
    const { _id: messageId } = await send(eve, channel._id, 'bye');
    const left = accepted(await as(eve, 'remove-participant', { channelId: channel._id }), messageChannel);
    expect(left.participants.map((one) => one.wallet)).toEqual([creator.wallet, grace.wallet]);
    refused(await as(eve, 'get-channel-messages', { channelId: channel._id }), 400, 'channel_unknown');
    refused(await as(eve, 'unsend-channel-message', { messageId }), 400, 'message_unknown');
    const own = accepted(await as(eve, 'get-message-channels', { limit: 250 }), channels);
    expect(own.data.map((one) => one._id)).not.toContain(channel._id);
    const list = await as(grace, 'get-channel-messages', { channelId: channel._id });
    expect(accepted(list, messages).data.map((one) => one._id)).toEqual([messageId]);
  });

  it('lets the creator remove another', async () => {
    const { creator, channel } = await newChannel(grace, eve);
    const body = { channelId: channel._id, wallet: grace.wallet };
    const left = accepted(await as(creator, 'remove-participant', body), messageChannel);
    expect(left.participants.map((one) => one.wallet)).toEqual([creator.wallet, eve.wallet]);
    refused(await as(creator, 'remove-participant', body), 400, 'participants_invalid');
  });

  it('does not let other participants remove anyone but themselves', async () => {
    const { creator, channel } = await newChannel(grace, eve);
    for (const { wallet } of [creator, eve]) {
      const answer = await as(grace, 'remove-participant', { channelId: channel._id, wallet });
      refused(answer, 401, 'permission_missing');
    }
  });

  const body = () => ({ launcherJwt: ada.launcherJwt, channelId: 'c' });
  itRefuses(api, '/launcher/remove-participant', body, [
    ...requiredString('channelId'),
    ...faults('wallet', [7, '', '0x12'], 'address_invalid'),
  ]);
});

describe('editGroupInfo', () => {
  it.each([
    ['the name', { name: 'Raiders' }, { name: 'Raiders', chatPicture: '' }],
    [
      'the picture',
      { chatPicture: 'https://p.example/1.png' },
      { name: '', chatPicture: 'https://p.example/1.png' },
    ],
    ['both', { name: 'R', chatPicture: 'p' }, { name: 'R', chatPicture: 'p' }],
  ])('changes %s and keeps the rest', async (_what, change, shown) => {
    const { creator, channel } = await newChannel(grace);
    const answer = await as(creator, 'edit-group-info', { channelId: channel._id, ...change });
    const { updatedAt, ...edited } = accepted(answer, messageChannel);
    const { updatedAt: before, ...created } = channel;
    expect(edited).toEqual({ ...created, ...shown });
    expect(updatedAt).toBeGreaterThanOrEqual(before);
    const { data } = accepted(await as(creator, 'get-message-channels'), channels);
    expect(data).toEqual([{ ...edited, updatedAt }]);
  });

  it('requires the permission edit-info', async () => {
    const { channel } = await newChannel(grace);
    const answer = await as(grace, 'edit-group-info', { channelId: channel._id, name: 'Mine' });
    refused(answer, 401, 'permission_missing');
  });

  const body = () => ({ launcherJwt: ada.launcherJwt, channelId: 'c', name: 'n', chatPicture: 'p' });
  itRefuses(api, '/launcher/edit-group-info', body, [
    ...requiredString('channelId'),
    ...faults('name', [7, true, ['n']], 'input_invalid'),
    ...faults('chatPicture', [7, true, ['p']], 'input_invalid'),
  ]);
});

describe('to non-participants, a channel does not exist:', async () => {
  const { creator, channel } = await newChannel(grace);
  const { gameId: elsewhere } = await server.createGame();
  const unknown = '0198c0de-0000-7000-8000-000000000000';

  describe.each([
    ['an outsider', eve],
    ['its creator in another game', await server.openSession(elsewhere, creator.wallet)],
  ])('%s', (_who, outsider) => {
    it.each([
      ['get-channel-messages', {}],
      ['send-channel-message', { content: 'hello' }],
      ['add-participant', { wallet: eve.wallet }],
      ['remove-participant', {}],
      ['remove-participant', { wallet: grace.wallet }],
      ['edit-group-info', { name: 'Mine' }],
    ])('%s %j returns the same as for an unknown channel', async (path, body) => {
      const foreign = await as(outsider, path, { channelId: channel._id, ...body });
      const absent = await as(outsider, path, { channelId: unknown, ...body });
      const malformed = await as(outsider, path, { channelId: '../etc', ...body });
      expect(refused(foreign, 400, 'channel_unknown')).toEqual(absent.body);
      expect(foreign.body).toEqual(malformed.body);
    });

    it.each([
      ['edit-channel-message', { newContent: 'hello' }],
      ['unsend-channel-message', {}],
    ])('%s %j returns the same as for an unknown message', async (path, body) => {
      const { _id: messageId } = await send(creator, channel._id, 'secret');
      const foreign = await as(outsider, path, { messageId, ...body });
      const absent = await as(outsider, path, { messageId: unknown, ...body });
      expect(refused(foreign, 400, 'message_unknown')).toEqual(absent.body);
    });
  });
});
