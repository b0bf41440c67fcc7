import { afterAll, describe, expect, it } from 'vitest';
import { eventsOfStream } from '../../src/features/events/queries.ts';
import {
  addToChannel,
  createChannel,
  removeFromChannel,
} from '../../src/features/messages/channel-commands.ts';
import {
  maxJoinedChannels,
  maxSharedChannels,
  maxStartedChannels,
} from '../../src/features/messages/message-channel.ts';
import { apiOf } from '../support/api.ts';
import { conversationsOn } from '../support/conversations.ts';
import { accepted, refused } from '../support/outcome.ts';
import { channelMessage, messageChannel, page } from '../support/records.ts';
import { randomWallet, startTestServer, type TestPlayer } from '../support/server.ts';

const server = await startTestServer();
afterAll(server.close);
const api = apiOf(server);
const { db } = server.services;
const { gameId } = await server.createGame();
const { as, create, send } = conversationsOn(api);
const newPlayer = () => server.openSession(gameId);
const contentsFor = async (player: TestPlayer, channelId: string, paging: object = {}) => {
  const answer = await as(player, 'get-channel-messages', { channelId, ...paging });
  const { total, data } = accepted(answer, page(channelMessage));
  return { total, contents: data.map(({ content }) => content) };
};

describe('limits on the number of channels', () => {
  it('refuse a player who has added the same player to too many, with or without others between', async () => {
    const [ada, grace] = [await newPlayer(), await newPlayer()];
    const made = await Promise.all(
      Array.from({ length: maxSharedChannels }, () =>
        db.write(createChannel, ada, [grace.wallet, randomWallet()]),
      ),
    );
    const participants = [grace.wallet, randomWallet()];
    const answer = await as(ada, 'create-message-channel', { otherParticipants: participants });
    refused(answer, 400, 'channel_limit_reached');
    const { _id: channelId } = await create(ada, randomWallet());
    refused(
      await as(ada, 'add-participant', { channelId, wallet: grace.wallet }),
      400,
      'channel_limit_reached',
    );
    // Existing channels are still returned; and the other player may start one.
    const [first] = made;
    const again = first?.participants.slice(1).map(({ wallet }) => wallet);
    const found = await as(ada, 'create-message-channel', { otherParticipants: again });
    expect(accepted(found, messageChannel)._id).toBe(first?._id);
    await create(grace, ada, randomWallet());
  });

  it('refuse a player who has started too many, until they leave one', async () => {
    const ada = await newPlayer();
    const made = await Promise.all(
      Array.from({ length: maxStartedChannels }, () => db.write(createChannel, ada, [randomWallet()])),
    );
    const body = { otherParticipants: [randomWallet()] };
    refused(await as(ada, 'create-message-channel', body), 400, 'channel_limit_reached');
    await db.write(removeFromChannel, ada, made[0]?._id ?? '', ada.wallet);
    accepted(await as(ada, 'create-message-channel', body), messageChannel);
  });

  it('keep others from adding a player who is in very many, while that player may start one', async () => {
    const [ada, grace] = [await newPlayer(), await newPlayer()];
    await Promise.all(
      Array.from({ length: maxJoinedChannels }, () => {
        return db.write(createChannel, { gameId, wallet: randomWallet() }, [grace.wallet]);
      }),
    );
    const answer = await as(ada, 'create-message-channel', { otherParticipants: [grace.wallet] });
    refused(answer, 400, 'channel_limit_reached');
    await create(grace, ada);
  });
});

describe('a player who leaves a channel', () => {
  it('cannot be added to any channel by the player who had added them, until they add that player themselves', async () => {
    const [ada, grace, eve] = [await newPlayer(), await newPlayer(), await newPlayer()];
    const { _id: channelId } = await create(ada, grace, eve);
    const leaving = await as(grace, 'remove-participant', { channelId });
    accepted(leaving, messageChannel);
    refused(await as(ada, 'add-participant', { channelId, wallet: grace.wallet }), 400, 'adding_declined');
    const another = { otherParticipants: [eve.wallet, grace.wallet] };
    refused(await as(ada, 'create-message-channel', another), 400, 'adding_declined');
    await create(eve, grace);
    await create(grace, ada);
    accepted(await as(ada, 'add-participant', { channelId, wallet: grace.wallet }), messageChannel);
  });

  it('may be re-added after having been removed by another', async () => {
    const [ada, grace] = [await newPlayer(), await newPlayer()];
    const { _id: channelId } = await create(ada, grace, randomWallet());
    accepted(await as(ada, 'remove-participant', { channelId, wallet: grace.wallet }), messageChannel);
    accepted(await as(ada, 'add-participant', { channelId, wallet: grace.wallet }), messageChannel);
  });
});

describe('a player who returns to a channel', () => {
  it('reads what was sent before and during their membership, and not what was sent while they were absent', async () => {
    const [ada, grace] = [await newPlayer(), await newPlayer()];
    const { _id: channelId } = await create(ada, randomWallet());
    await send(ada, channelId, 'before');
    const put = () => db.write(addToChannel, ada, channelId, grace.wallet);
    const remove = () => db.write(removeFromChannel, ada, channelId, grace.wallet);
    await put();
    await send(ada, channelId, 'first stay');
    await remove();
    await send(ada, channelId, 'first absence');
    await put();
    await send(grace, channelId, 'second stay');
    await remove();
    for (let n = 0; n < 3; n++) await send(ada, channelId, 'second absence');
    await put();
    expect(await contentsFor(grace, channelId)).toEqual({
      total: 3,
      contents: ['second stay', 'first stay', 'before'],
    });
    await send(ada, channelId, 'back');
    const all = ['back', 'second stay', 'first stay', 'before'];
    expect(await contentsFor(grace, channelId)).toEqual({ total: 4, contents: all });
    for (let skip = 0; skip <= 4; skip++) {
      const contents = all.slice(skip, skip + 2);
      expect(await contentsFor(grace, channelId, { limit: 2, skip })).toEqual({ total: 4, contents });
    }
    expect((await contentsFor(ada, channelId)).total).toBe(8);
  });

  it('is shown nothing from their absences however often they left and returned', async () => {
    const [ada, grace] = [await newPlayer(), await newPlayer()];
    const { _id: channelId } = await create(ada, randomWallet());
    for (let round = 0; round < 110; round++) {
      await db.write(addToChannel, ada, channelId, grace.wallet);
      await db.write(removeFromChannel, ada, channelId, grace.wallet);
      if (round < 3) await send(ada, channelId, `absence ${round}`);
    }
    await db.write(addToChannel, ada, channelId, grace.wallet);
    expect(await contentsFor(grace, channelId)).toEqual({ total: 0, contents: [] });
  });
});

describe('a message that is edited very often', () => {
  it('keeps its content in a bounded number of events, and none of it once unsent', async () => {
    const ada = await newPlayer();
    const { _id: channelId } = await create(ada, randomWallet());
    const { _id: messageId } = await send(ada, channelId, 'canary 0');
    for (let n = 1; n <= 130; n++) {
      accepted(
        await as(ada, 'edit-channel-message', { messageId, newContent: `canary ${n}` }),
        channelMessage,
      );
    }
    const holding = async () => {
      const events = await db.read(eventsOfStream, `channel:${channelId}`, 0, 1_000);
      return events.filter(({ record }) => record.includes('canary')).map(({ seq }) => seq);
    };
    const kept = await holding();
    expect(kept).toHaveLength(50);
    expect(kept[0]).toBe(2);
    expect(kept.at(-1)).toBe(132);
    expect((await as(ada, 'unsend-channel-message', { messageId })).status).toBe(200);
    expect(await holding()).toEqual([]);
  });
});
