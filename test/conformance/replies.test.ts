import { afterAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { apiOf } from '../support/api.ts';
import { conversationsOn } from '../support/conversations.ts';
import { faults, itRefuses, notStrings } from '../support/field-faults.ts';
import { accepted, refused } from '../support/outcome.ts';
import { channelMessage, id, page } from '../support/records.ts';
import { startTestServer } from '../support/server.ts';

const server = await startTestServer();
afterAll(server.close);
const api = apiOf(server);
const { gameId } = await server.createGame();
const [ada, grace] = await Promise.all([server.openSession(gameId), server.openSession(gameId)]);
const { as, create, send } = conversationsOn(api);

const reply = channelMessage.extend({ replyTo: id });
const { _id: channelId } = await create(ada, grace);
const question = await send(ada, channelId, 'Ready?');

describe('send-channel-message with replyTo', () => {
  it('returns the whole message, and lists it, with the message it replies to', async () => {
    const body = { channelId, content: 'Yes', replyTo: question._id };
    const answer = accepted(await as(grace, 'send-channel-message', body), reply);
    expect(answer).toMatchObject({ content: 'Yes', senderId: grace.wallet, replyTo: question._id });
    const listed = accepted(
      await as(ada, 'get-channel-messages', { channelId, limit: 1 }),
      page(reply).extend({ originals: z.array(channelMessage) }),
    );
    expect([listed.data, listed.originals]).toEqual([[answer], [question]]);
    const all = await as(ada, 'get-channel-messages', { channelId });
    expect(accepted(all, page(z.union([reply, channelMessage]))).data).toEqual([answer, question]);
  });

  it('behaves the same when dispatched', async () => {
    const body = { launcherJwt: grace.launcherJwt, channelId, content: 'Go', replyTo: question._id };
    expect(accepted(await api.dispatch('sendChannelMessage', body), reply).replyTo).toBe(question._id);
  });

  it('refuses a message of another channel', async () => {
    const { _id: other } = await create(await server.openSession(gameId), ada);
    const elsewhere = await send(ada, other, 'hi');
    const body = { channelId, content: 'What?', replyTo: elsewhere._id };
    refused(await as(ada, 'send-channel-message', body), 400, 'message_unknown');
  });

  it('accepts null for a message that is not a reply', async () => {
    const body = { channelId, content: 'By the way', replyTo: null };
    accepted(await as(ada, 'send-channel-message', body), channelMessage);
  });

  itRefuses(
    api,
    '/launcher/send-channel-message',
    () => ({ launcherJwt: ada.launcherJwt, channelId, content: 'hello' }),
    faults('replyTo', ['', ...notStrings.filter((value) => value !== null)], 'input_invalid'),
  );
});
