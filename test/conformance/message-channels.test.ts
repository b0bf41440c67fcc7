import { afterAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createChannel } from '../../src/features/messages/channel-commands.ts';
import { apiOf } from '../support/api.ts';
import { nextMillisecond } from '../support/clock.ts';
import { conversationsOn } from '../support/conversations.ts';
import { faults, itRefuses, missing, pagingFaults } from '../support/field-faults.ts';
import { accepted, refused } from '../support/outcome.ts';
import { channelMessage, messageChannel, page, wallet as walletText } from '../support/records.ts';
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
const channelsWithPreviews = page(messageChannel.extend({ lastMessage: channelMessage.nullable() })).extend({
  players: z.array(z.strictObject({ wallet: walletText, username: z.string().min(1), avatar: z.url() })),
});
const messages = page(channelMessage);

/** The permissions of the two kinds of participant. */
const everything = ['send-messages', 'add-members', 'edit-info', 'super-admin'];
const writing = ['send-messages'];

const { as, create, send } = conversationsOn(api);

/** A new channel of a new player with these others. */
async function newChannel(...others: TestPlayer[]) {
  const creator = await server.openSession(gameId);
  return { creator, channel: await create(creator, ...others) };
}

describe('create-message-channel', () => {
  it('returns the whole channel: the creator has every permission, the others may write', async () => {
    const before = Date.now();
    const creator = await server.openSession(gameId);
    const channel = await create(creator, grace, eve);
    expect(channel).toMatchObject({
      name: '',
      chatPicture: '',
      gameId,
      participants: [
        { wallet: creator.wallet, userGroup: 0, permissions: everything },
        { wallet: grace.wallet, userGroup: 0, permissions: writing },
        { wallet: eve.wallet, userGroup: 0, permissions: writing },
      ],
    });
    expect(channel.createdAt).toBeGreaterThanOrEqual(before);
    expect(channel.updatedAt).toBe(channel.createdAt);
  });

  it('returns the same channel for the same participants, whoever asks and in whatever order', async () => {
    const { creator, channel } = await newChannel(grace, eve);
    await send(grace, channel._id, 'kept');
    const [again, reordered, others] = [
      await create(creator, grace, eve),
      await create(creator, eve, grace),
      await create(grace, eve, creator),
    ];
    expect(new Set([again._id, reordered._id, others._id])).toEqual(new Set([channel._id]));
    const list = await as(eve, 'get-channel-messages', { channelId: channel._id });
    expect(accepted(list, messages).total).toBe(1);
  });

  it('returns a different channel for other participants, and for the same ones in another game', async () => {
    const { creator, channel } = await newChannel(grace);
    const wider = await create(creator, grace, eve);
    const { gameId: elsewhere } = await server.createGame();
    const there = await create(await server.openSession(elsewhere, creator.wallet), grace);
    expect(new Set([channel._id, wider._id, there._id]).size).toBe(3);
    expect(there.gameId).toBe(elsewhere);
  });

  it('creates one channel for concurrent calls', async () => {
    const creator = await server.openSession(gameId);
    const made = await Promise.all(Array.from({ length: 6 }, () => create(creator, grace)));
    expect(new Set(made.map((channel) => channel._id)).size).toBe(1);
  });

  it('accepts addresses in any letter case and returns them in lowercase', async () => {
    const checksummed = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'; // from EIP-55
    const capitals = `0x${randomWallet().slice(2).toUpperCase()}`;
    const channel = await create(await server.openSession(gameId), checksummed, capitals);
    expect(channel.participants.slice(1).map((one) => one.wallet)).toEqual([
      checksummed.toLowerCase(),
      capitals.toLowerCase(),
    ]);
  });

  it('accepts 255 other participants', async () => {
    const others = Array.from({ length: 255 }, randomWallet);
    const channel = await create(await server.openSession(gameId), ...others);
    expect(channel.participants).toHaveLength(256);
  });

  it('behaves the same when dispatched', async () => {
    const { launcherJwt, wallet } = await server.openSession(gameId);
    const body = { launcherJwt, otherParticipants: [grace.wallet] };
    const channel = accepted(await api.dispatch('createMessageChannel', body), messageChannel);
    expect(channel.participants.map((one) => one.wallet)).toEqual([wallet, grace.wallet]);
  });

  itRefuses(
    api,
    '/launcher/create-message-channel',
    () => ({ launcherJwt: ada.launcherJwt, otherParticipants: [grace.wallet] }),
    faults(
      'otherParticipants',
      [
        missing,
        null,
        grace.wallet,
        { 0: grace.wallet },
        [],
        [grace.wallet, grace.wallet],
        [grace.wallet, `0x${grace.wallet.slice(2).toUpperCase()}`],
        [ada.wallet],
        [grace.wallet, ada.wallet],
        Array.from({ length: 256 }, (_, n) => `0x${n.toString(16).padStart(40, '0')}`),
      ],
      'participants_invalid',
    ),
  );

  it.each([
    ['too short', '0x12'],
    ['without 0x', grace.wallet.slice(2)],
    ['not hexadecimal', `0x${'g'.repeat(40)}`],
    ['not a string', 7],
    ['of a wrong EIP-55 checksum', '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD'],
  ])('refuses an address that is %s and says which', async (_what, wallet) => {
    const answer = await as(ada, 'create-message-channel', { otherParticipants: [grace.wallet, wallet] });
    refused(answer, 400, 'address_invalid', 'otherParticipants.1');
  });
});

describe('get-message-channels', () => {
  it('lists the channels of the player in this game, latest activity first', async () => {
    const player = await server.openSession(gameId);
    const first = await create(player, grace);
    await nextMillisecond();
    const second = await create(player, eve);
    await nextMillisecond();
    const joined = await create(eve, player, grace);
    await newChannel(grace);
    await create(await server.openSession((await server.createGame()).gameId, player.wallet), grace);
    await nextMillisecond();
    const { createdAt } = await send(player, first._id, 'hello');
    const list = accepted(await as(player, 'get-message-channels'), channels);
    expect(list).toMatchObject({ total: 3, limit: 20, skip: 0 });
    expect(list.data).toEqual([{ ...first, updatedAt: createdAt }, joined, second]);
  });

  describe('pagination', async () => {
    const player = await server.openSession(gameId);
    const { db } = server.services;
    await Promise.all(Array.from({ length: 255 }, () => db.write(createChannel, player, [randomWallet()])));

    it.each([
      [{}, { limit: 20, skip: 0 }, 20],
      [{ limit: 2, skip: 254 }, { limit: 2, skip: 254 }, 1],
      [{ limit: 1000 }, { limit: 250, skip: 0 }, 250],
      [{ limit: 0 }, { limit: 20, skip: 0 }, 20],
      [{ limit: null, skip: null }, { limit: 20, skip: 0 }, 20],
      [{ skip: 300 }, { limit: 20, skip: 300 }, 0],
    ])('%j returns %j and %i channels', async (body, applied, count) => {
      const { data, ...rest } = accepted(await as(player, 'get-message-channels', body), channels);
      expect(rest).toEqual({ total: 255, ...applied });
      expect(data).toHaveLength(count);
    });
  });

  it('pages are shorter for channels with very many participants, and say so', async () => {
    const player = await server.openSession(gameId);
    const { db } = server.services;
    const others = Array.from({ length: 255 }, () => randomWallet());
    for (let at = 0; at < 33; at++)
      await db.write(createChannel, player, [...others.slice(1), randomWallet()]);
    const shortened = channels.extend({ shortened: z.literal(true) });
    const first = accepted(await as(player, 'get-message-channels', { limit: 50 }), shortened);
    expect([first.total, first.data.length]).toEqual([33, 32]);
    const { data } = accepted(await as(player, 'get-message-channels', { skip: 32 }), channels);
    expect(data).toHaveLength(1);
  });

  it('includes with `withPreview` the last message of each and the names of the first participants', async () => {
    const [player, talker] = [await server.openSession(gameId), await server.openSession(gameId)];
    await api.post('/launcher/set-username', { launcherJwt: talker.launcherJwt, username: 'Talker' });
    const others = await Promise.all(Array.from({ length: 4 }, () => server.openSession(gameId)));
    const [empty, spoken] = [await create(player, talker, ...others), await create(talker, player)];
    await send(player, spoken._id, 'one');
    const last = await send(talker, spoken._id, 'two');
    const answer = await as(player, 'get-message-channels', { withPreview: true });
    const { data, players } = accepted(answer, channelsWithPreviews);
    expect(data.map(({ _id, lastMessage }) => [_id, lastMessage])).toEqual([
      [spoken._id, last],
      [empty._id, null],
    ]);
    const named = [talker, ...others].slice(0, 4).map((one) => one.wallet);
    expect(players.map((one) => one.wallet)).toEqual(named);
    expect(players[0]?.username).toBe('Talker');
    accepted(await as(player, 'get-message-channels', { withPreview: false }), channels);
  });

  itRefuses(api, '/launcher/get-message-channels', () => ({ launcherJwt: ada.launcherJwt }), [
    ...pagingFaults,
    ...faults('withPreview', [1, 'true', []], 'input_invalid'),
  ]);
});
