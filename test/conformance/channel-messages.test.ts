import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sendMessage } from '../../src/features/messages/message-commands.ts';
import { apiOf } from '../support/api.ts';
import { conversationsOn } from '../support/conversations.ts';
import { changeKept } from '../support/data-directory.ts';
import { faults, itRefuses, pagingFaults, requiredString } from '../support/field-faults.ts';
import { accepted, refused } from '../support/outcome.ts';
import { channelMessage, page } from '../support/records.ts';
import { startTestServer, type TestPlayer } from '../support/server.ts';

const server = await startTestServer();
afterAll(server.close);
const api = apiOf(server);
const { gameId } = await server.createGame();
// The same wallets in every run, because some appear in test names.
const grace = await server.openSession(gameId, `0x${'b2'.repeat(20)}`);
const eve = await server.openSession(gameId, `0x${'e3'.repeat(20)}`);

const messages = page(channelMessage);

const { as, create, send } = conversationsOn(api);

/** A new channel of a new player with these others. */
async function newChannel(...others: TestPlayer[]) {
  const creator = await server.openSession(gameId);
  return { creator, channel: await create(creator, ...others) };
}

describe('send-channel-message', async () => {
  const { creator, channel } = await newChannel(grace);

  it('returns the whole message', async () => {
    const before = Date.now();
    const message = await send(creator, channel._id, 'hello');
    expect(message).toMatchObject({ channelId: channel._id, senderId: creator.wallet, content: 'hello' });
    expect(message.createdAt).toBeGreaterThanOrEqual(before);
    expect(message.updatedAt).toBe(message.createdAt);
  });

  it.each([
    ['1 character', 'a'],
    ['4,000 characters', 'a'.repeat(4000)],
    ['4,000 characters outside the basic plane', '🎲'.repeat(4000)],
    ['spaces only', '  '],
    ['line breaks, quotes, a null character and markup', 'a\r\n"b"\\\u0000<b>{username}</b>'],
  ])('keeps content of %s unchanged', async (_what, content) => {
    const message = await send(grace, channel._id, content);
    expect(message.content).toBe(content);
    const list = await as(creator, 'get-channel-messages', { channelId: channel._id, limit: 1 });
    expect(accepted(list, messages).data).toEqual([message]);
  });

  itRefuses(
    api,
    '/launcher/send-channel-message',
    () => ({ launcherJwt: creator.launcherJwt, channelId: channel._id, content: 'hello' }),
    [
      ...requiredString('channelId'),
      ...requiredString('content'),
      ...faults('content', ['', 'a'.repeat(4001), '🎲'.repeat(4001)], 'input_invalid'),
    ],
  );

  // No operation revokes the permission, so the row is changed directly.
  it('requires the permission send-messages', async () => {
    const { channel: silenced } = await newChannel(eve);
    await changeKept(
      server.config,
      `UPDATE participants SET permissions = '[]' WHERE channel_id = '${silenced._id}' AND wallet = '${eve.wallet}'`,
    );
    const answer = await as(eve, 'send-channel-message', { channelId: silenced._id, content: 'hello' });
    refused(answer, 401, 'permission_missing');
  });
});

describe('get-channel-messages', async () => {
  const { creator, channel } = await newChannel(grace);
  beforeAll(async () => {
    const { db: store } = server.services;
    for (let n = 1; n <= 255; n++) await store.write(sendMessage, creator, channel._id, `${n}`);
  });

  it.each([
    [{}, { limit: 30, skip: 0 }, 255, 30],
    [{ limit: 0, skip: 0 }, { limit: 30, skip: 0 }, 255, 30],
    [{ limit: 3 }, { limit: 3, skip: 0 }, 255, 3],
    [{ limit: 3, skip: 2 }, { limit: 3, skip: 2 }, 253, 3],
    [{ limit: 1000 }, { limit: 250, skip: 0 }, 255, 250],
    [{ skip: 250 }, { limit: 30, skip: 250 }, 5, 5],
    [{ skip: 255 }, { limit: 30, skip: 255 }, 0, 0],
  ])('%j returns %j: from message %i down, %i of them', async (body, applied, from, count) => {
    const answer = await as(grace, 'get-channel-messages', { channelId: channel._id, ...body });
    const { data, ...rest } = accepted(answer, messages);
    expect(rest).toEqual({ total: 255, ...applied });
    expect(data.map((one) => one.content)).toEqual(Array.from({ length: count }, (_, n) => `${from - n}`));
  });

  itRefuses(
    api,
    '/launcher/get-channel-messages',
    () => ({ launcherJwt: creator.launcherJwt, channelId: channel._id }),
    [...requiredString('channelId'), ...pagingFaults],
  );
});
