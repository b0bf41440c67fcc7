import { afterAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { apiOf } from '../support/api.ts';
import { conversationsOn } from '../support/conversations.ts';
import { faults, itRefuses, requiredString } from '../support/field-faults.ts';
import { accepted, refused } from '../support/outcome.ts';
import { id, messageChannel, page, time, wallet } from '../support/records.ts';
import { startTestServer, type TestPlayer } from '../support/server.ts';

const server = await startTestServer();
afterAll(server.close);
const api = apiOf(server);
const { gameId, gameSecret } = await server.createGame();
const [ada, grace] = await Promise.all([server.openSession(gameId), server.openSession(gameId)]);
const { as, create, send } = conversationsOn(api);

const marked = z.strictObject({
  success: z.literal(true),
  readMarker: z.strictObject({
    _id: id,
    channelId: id,
    gameId: id,
    normalizedAddress: wallet,
    messageId: id,
    readAt: time,
  }),
});
const unreadFields = {
  unreadCount: z.int(),
  unreadCapped: z.literal(true).optional(),
  lastReadMessageId: id.optional(),
  lastReadAt: time.optional(),
};
const unreadCount = z.strictObject({ success: z.literal(true), channelId: id, ...unreadFields });
const channels = page(messageChannel);
const channelsWithUnread = page(messageChannel.extend(unreadFields));

/** A new player's channel with Grace, in which the new player sent these messages. */
async function conversation(...said: string[]) {
  const creator = await server.openSession(gameId);
  const { _id: channelId } = await create(creator, grace);
  const ids: string[] = [];
  for (const content of said) ids.push((await send(creator, channelId, content))._id);
  return { creator, channelId, ids };
}

async function unreadOf(player: TestPlayer, channelId: string) {
  return accepted(await as(player, 'get-unread-count', { channelId }), unreadCount);
}

describe('mark-messages-read', async () => {
  const { channelId, ids, creator } = await conversation('1', '2', '3');

  it('returns the whole marker', async () => {
    const before = Date.now();
    const body = { channelId, messageId: ids[1] };
    const { readMarker } = accepted(await as(grace, 'mark-messages-read', body), marked);
    expect(readMarker).toMatchObject({
      _id: channelId,
      channelId,
      gameId,
      normalizedAddress: grace.wallet,
      messageId: ids[1],
    });
    expect(readMarker.readAt).toBeGreaterThanOrEqual(before);
    expect(await unreadOf(grace, channelId)).toEqual({
      success: true,
      channelId,
      unreadCount: 1,
      lastReadMessageId: ids[1],
      lastReadAt: readMarker.readAt,
    });
  });

  it('returns the unchanged marker for an earlier message', async () => {
    const body = { channelId, messageId: ids[0] };
    const { readMarker } = accepted(await as(grace, 'mark-messages-read', body), marked);
    expect(readMarker.messageId).toBe(ids[1]);
  });

  it('behaves the same when dispatched, and for a game’s server that names the player', async () => {
    const other = await conversation('hi', 'there');
    const body = { channelId: other.channelId, messageId: other.ids[0] };
    accepted(await api.dispatch('markMessagesRead', { ...body, launcherJwt: grace.launcherJwt }), marked);
    const further = { channelId: other.channelId, messageId: other.ids[1], wallet: grace.wallet };
    const headers = { authorization: `Bearer ${gameSecret}` };
    accepted(await api.post('/launcher/mark-messages-read', further, headers), marked);
    expect((await unreadOf(grace, other.channelId)).unreadCount).toBe(0);
  });

  it('refuses a message of another channel, and one that was unsent', async () => {
    const other = await conversation('elsewhere');
    const answer = await as(grace, 'mark-messages-read', { channelId, messageId: other.ids[0] });
    refused(answer, 400, 'message_unknown');
    await as(creator, 'unsend-channel-message', { messageId: ids[2] });
    refused(await as(grace, 'mark-messages-read', { channelId, messageId: ids[2] }), 400, 'message_unknown');
  });

  it('refuses non-participants', async () => {
    refused(await as(ada, 'mark-messages-read', { channelId, messageId: ids[0] }), 400, 'channel_unknown');
  });

  itRefuses(
    api,
    '/launcher/mark-messages-read',
    () => ({ launcherJwt: grace.launcherJwt, channelId, messageId: ids[0] }),
    [...requiredString('channelId'), ...requiredString('messageId')],
  );
});

describe('get-unread-count', async () => {
  const { channelId, creator } = await conversation('1', '2');

  it('counts the messages of others in a channel without a marker', async () => {
    expect(await unreadOf(grace, channelId)).toEqual({ success: true, channelId, unreadCount: 2 });
    expect(await unreadOf(creator, channelId)).toEqual({ success: true, channelId, unreadCount: 0 });
  });

  it('refuses non-participants', async () => {
    refused(await as(ada, 'get-unread-count', { channelId }), 400, 'channel_unknown');
  });

  itRefuses(
    api,
    '/launcher/get-unread-count',
    () => ({ launcherJwt: grace.launcherJwt, channelId }),
    requiredString('channelId'),
  );
});

describe('get-message-channels', () => {
  it('includes unread counts on request only', async () => {
    const reader = await server.openSession(gameId);
    const [first, second] = [await create(ada, reader), await create(grace, reader)];
    const message = await send(ada, first._id, 'one');
    await send(grace, second._id, 'two');
    await send(grace, second._id, 'three');
    await as(reader, 'mark-messages-read', { channelId: first._id, messageId: message._id });
    const answer = await as(reader, 'get-message-channels', { withUnread: true });
    const { data } = accepted(answer, channelsWithUnread);
    const unread = new Map(
      data.map(({ _id, unreadCount: count, lastReadMessageId }) => [_id, [count, lastReadMessageId]]),
    );
    expect(unread).toEqual(
      new Map([
        [first._id, [0, message._id]],
        [second._id, [2, undefined]],
      ]),
    );
    accepted(await as(reader, 'get-message-channels', {}), channels);
    accepted(await as(reader, 'get-message-channels', { withUnread: false }), channels);
  });

  itRefuses(
    api,
    '/launcher/get-message-channels',
    () => ({ launcherJwt: grace.launcherJwt }),
    faults('withUnread', [1, 'true', []], 'input_invalid'),
  );
});
