import { afterAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { apiOf } from '../support/api.ts';
import { conversationsOn } from '../support/conversations.ts';
import { faults, itRefuses, requiredString } from '../support/field-faults.ts';
import { accepted, refused } from '../support/outcome.ts';
import { channelMessage, id, page } from '../support/records.ts';
import { startTestServer } from '../support/server.ts';

const server = await startTestServer();
afterAll(server.close);
const api = apiOf(server);
const { gameId, gameSecret } = await server.createGame();
const [ada, grace] = await Promise.all([server.openSession(gameId), server.openSession(gameId)]);
const eve = await server.openSession(gameId);
const { as, create, send } = conversationsOn(api);

const reactions = z.array(
  z.strictObject({ reaction: z.string(), count: z.int().min(1), own: z.literal(true).optional() }),
);
const reacted = z.strictObject({ success: z.literal(true), messageId: id, channelId: id, reactions });
const reactedMessage = channelMessage.extend({ reactions });

const { _id: channelId } = await create(ada, grace);

/** The result of Grace's reaction to a new message. */
async function react(reaction: string) {
  const { _id: messageId } = await send(ada, channelId, 'We won');
  return { messageId, answer: await as(grace, 'add-reaction', { messageId, reaction }) };
}

describe('add-reaction and remove-reaction', () => {
  it('return all reactions of the message, which lists show too', async () => {
    const { messageId, answer } = await react('🎉');
    expect(accepted(answer, reacted)).toEqual({
      success: true,
      messageId,
      channelId,
      reactions: [{ reaction: '🎉', count: 1, own: true }],
    });
    accepted(await as(ada, 'add-reaction', { messageId, reaction: '🎉' }), reacted);
    const listed = async () => {
      const answer = await as(ada, 'get-channel-messages', { channelId, limit: 1 });
      return accepted(answer, page(z.union([reactedMessage, channelMessage]))).data[0];
    };
    expect(await listed()).toMatchObject({ reactions: [{ reaction: '🎉', count: 2, own: true }] });
    const back = await as(ada, 'remove-reaction', { messageId, reaction: '🎉' });
    expect(accepted(back, reacted).reactions).toEqual([{ reaction: '🎉', count: 1 }]);
    const last = await as(grace, 'remove-reaction', { messageId, reaction: '🎉' });
    expect(accepted(last, reacted).reactions).toEqual([]);
    expect(await listed()).not.toHaveProperty('reactions');
  });

  it.each([
    ['an emoji', '👍', '👍'],
    ['one with a skin tone', '👍🏽', '👍🏽'],
    ['one of several people', '👨‍👩‍👧‍👦', '👨‍👩‍👧‍👦'],
    ['a flag', '🇩🇪', '🇩🇪'],
    ['a heart without its variation selector', '\u2764', '\u2764\uFE0F'],
    ['a name', 'gg', 'gg'],
    ['a name of 32 characters', 'a_b-c+9x'.repeat(4), 'a_b-c+9x'.repeat(4)],
  ])('accept %s', async (_what, given, kept) => {
    const { answer } = await react(given);
    expect(accepted(answer, reacted).reactions).toEqual([{ reaction: kept, count: 1, own: true }]);
  });

  it('behave the same when dispatched, and for a game’s server that names the player', async () => {
    const { messageId } = await react('gg');
    const dispatched = { launcherJwt: ada.launcherJwt, messageId, reaction: 'gg' };
    expect(accepted(await api.dispatch('addReaction', dispatched), reacted).reactions[0]?.count).toBe(2);
    const headers = { Authorization: `Bearer ${gameSecret}` };
    const body = { wallet: grace.wallet, messageId, reaction: 'gg' };
    const answer = await api.post('/launcher/remove-reaction', body, headers);
    expect(accepted(answer, reacted).reactions).toEqual([{ reaction: 'gg', count: 1 }]);
  });

  it('refuse a 21st kind, and not a further player with one of the 20', async () => {
    const { messageId } = await react('e0');
    for (let n = 1; n < 20; n++) await as(grace, 'add-reaction', { messageId, reaction: `e${n}` });
    const answer = await as(grace, 'add-reaction', { messageId, reaction: 'e20' });
    refused(answer, 400, 'reaction_limit_reached');
    const further = await as(ada, 'add-reaction', { messageId, reaction: 'e19' });
    expect(accepted(further, reacted).reactions.at(-1)).toEqual({ reaction: 'e19', count: 2, own: true });
  });

  it('refuse non-participants, and an unsent message', async () => {
    const { messageId } = await react('gg');
    for (const path of ['add-reaction', 'remove-reaction']) {
      refused(await as(eve, path, { messageId, reaction: 'gg' }), 400, 'message_unknown');
    }
    await as(ada, 'unsend-channel-message', { messageId });
    for (const path of ['add-reaction', 'remove-reaction']) {
      refused(await as(grace, path, { messageId, reaction: 'gg' }), 400, 'message_unknown');
    }
  });

  for (const path of ['/launcher/add-reaction', '/launcher/remove-reaction']) {
    itRefuses(api, path, () => ({ launcherJwt: grace.launcherJwt, messageId: channelId, reaction: 'gg' }), [
      ...requiredString('messageId'),
      ...requiredString('reaction'),
      ...faults(
        'reaction',
        ['', ' ', 'GG', 'two words', 'a'.repeat(33), '👍👍', '👍 ', '<b>', 'é', '\ud83d'],
        'input_invalid',
      ),
    ]);
  }
});
