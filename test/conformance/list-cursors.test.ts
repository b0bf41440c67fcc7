import { afterAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { apiOf } from '../support/api.ts';
import { nextMillisecond } from '../support/clock.ts';
import { conversationsOn } from '../support/conversations.ts';
import { faults, itRefuses } from '../support/field-faults.ts';
import { accepted, refused } from '../support/outcome.ts';
import { channelMessage, messageChannel, page } from '../support/records.ts';
import { startTestServer } from '../support/server.ts';

const server = await startTestServer();
afterAll(server.close);
const api = apiOf(server);
const { gameId } = await server.createGame();
const [ada, grace] = await Promise.all([server.openSession(gameId), server.openSession(gameId)]);
const { as, create, send } = conversationsOn(api);

const byCursor = { nextCursor: z.string().min(1), more: z.boolean() };
const messages = page(channelMessage).extend(byCursor);
const channels = page(messageChannel).extend(byCursor);

const { _id: channelId } = await create(ada, grace);
for (const content of ['1', '2', '3', '4', '5']) await send(ada, channelId, content);
const list = (body: object) => as(grace, 'get-channel-messages', { channelId, ...body });

const aCursor = (behind: string) => Buffer.from(behind).toString('base64url');
const cursorFaults = [
  ...faults(
    'cursor',
    [7, true, ['a'], 'x', '!', 'a'.repeat(201), aCursor('x.1'), aCursor('n.-1')],
    'paging_invalid',
  ),
  ...faults('cursor', [aCursor('n.1 OR 1'), aCursor('n.9999999999999999')], 'paging_invalid'),
  ...faults('order', [7, '', 'ASC', ['newest']], 'paging_invalid'),
];

describe('get-channel-messages with cursors', () => {
  it('continues from the cursor of the page before, newest first by default', async () => {
    const first = accepted(await list({ limit: 2, cursor: '' }), messages);
    expect(first).toMatchObject({ total: 5, limit: 2, skip: 0, more: true });
    expect(first.data.map(({ content }) => content)).toEqual(['5', '4']);
    await send(ada, channelId, '6');
    const second = accepted(await list({ limit: 2, cursor: first.nextCursor }), messages);
    expect(second.data.map(({ content }) => content)).toEqual(['3', '2']);
    const last = accepted(await list({ limit: 2, cursor: second.nextCursor }), messages);
    expect([last.data.map(({ content }) => content), last.more]).toEqual([['1'], false]);
  });

  it('reads oldest first with order, which the cursor remembers', async () => {
    const first = accepted(await list({ limit: 4, order: 'oldest' }), messages);
    expect(first.data.map(({ content }) => content)).toEqual(['1', '2', '3', '4']);
    const second = accepted(await list({ limit: 4, cursor: first.nextCursor }), messages);
    expect([second.data.map(({ content }) => content), second.more]).toEqual([['5', '6'], false]);
    const answer = await list({ cursor: first.nextCursor, order: 'newest' });
    refused(answer, 400, 'paging_invalid', 'order');
  });

  it('returns no cursor unless one is requested, and then accepts no skip', async () => {
    accepted(await list({ skip: 1 }), page(channelMessage));
    accepted(await list({ cursor: null, order: null }), page(channelMessage));
    accepted(await list({ cursor: '', skip: 0 }), messages);
    refused(await list({ cursor: '', skip: 1 }), 400, 'paging_invalid', 'skip');
  });

  itRefuses(api, '/launcher/get-channel-messages', () => ({ launcherJwt: grace.launcherJwt, channelId }), [
    ...cursorFaults,
    ...faults('cursor', [aCursor(`n.1.${channelId}`)], 'paging_invalid'),
  ]);
});

describe('get-message-channels with cursors', () => {
  it('continues from the cursor of the page before, in either order', async () => {
    const player = await server.openSession(gameId);
    const made: string[] = [];
    for (const other of [ada, grace, await server.openSession(gameId)]) {
      made.push((await create(player, other))._id);
      await nextMillisecond();
    }
    for (const [order, expected] of [
      ['oldest', made],
      ['newest', made.toReversed()],
    ] as const) {
      const first = accepted(await as(player, 'get-message-channels', { limit: 2, order }), channels);
      const cursor = first.nextCursor;
      const rest = accepted(await as(player, 'get-message-channels', { limit: 2, cursor }), channels);
      expect([first.more, rest.more]).toEqual([true, false]);
      expect([...first.data, ...rest.data].map(({ _id }) => _id)).toEqual(expected);
    }
  });

  itRefuses(api, '/launcher/get-message-channels', () => ({ launcherJwt: grace.launcherJwt }), [
    ...cursorFaults,
    ...faults('cursor', [aCursor('n.1'), aCursor('n.1.x')], 'paging_invalid'),
  ]);
});
