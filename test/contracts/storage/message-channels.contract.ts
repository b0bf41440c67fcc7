import { describe, expect, test } from 'vitest';
import type { StoredEvent } from '../../../src/core/events/stream.ts';
import { eventsAfter, eventsOfStream } from '../../../src/features/events/queries.ts';
import {
  addToChannel,
  createChannel,
  editChannelInfo,
  leaveAllChannels,
  removeFromChannel,
} from '../../../src/features/messages/channel-commands.ts';
import {
  creatorPermissions,
  maxParticipants,
  maxSharedChannels,
  memberPermissions,
} from '../../../src/features/messages/message-channel.ts';
import {
  editMessage,
  eraseMessagesOf,
  sendMessage,
  unsendMessage,
} from '../../../src/features/messages/message-commands.ts';
import {
  listChannelMembers,
  listChannelMessages,
  listChannels,
} from '../../../src/features/messages/queries.ts';
import { setProfile } from '../../../src/features/players/commands.ts';
import { endSession, startSession } from '../../../src/features/sessions/commands.ts';
import { randomWallet } from '../../support/server.ts';
import {
  addGame,
  addPlayer,
  hour,
  listen,
  nowAndReopened,
  type OpenStore,
  summarize,
  trio,
  wholePage,
} from './fixture.ts';

export function messageChannelsContract(open: OpenStore): void {
  describe('message channels', () => {
    test('concurrent creates and joins exceed no limit, and leaving frees a slot', async () => {
      await using fixture = await open();
      const { db } = fixture;
      const otherProcess = await fixture.openOtherProcess();
      const [ada, grace, linus] = await trio(db);
      const over = 20;
      const made = await Promise.allSettled(
        Array.from({ length: maxSharedChannels + over }, (_, at) =>
          (at % 2 === 0 ? db : otherProcess).write(createChannel, ada, [grace.wallet, randomWallet()]),
        ),
      );
      const refused = made.filter((one) => one.status === 'rejected');
      expect(refused).toHaveLength(over);
      for (const { reason } of refused) expect(reason).toMatchObject({ reason: 'channel_limit_reached' });
      const { _id } = await db.write(createChannel, ada, [linus.wallet]);
      const add = () => db.write(addToChannel, ada, _id, grace.wallet);
      await expect(add()).rejects.toMatchObject({ reason: 'channel_limit_reached' });
      const [first] = made.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
      await db.write(removeFromChannel, ada, first?._id ?? '', grace.wallet);
      await expect(add()).resolves.toMatchObject({ _id });
    });

    test('a new channel has its creator in charge and the others able to write, also after a reopen', async () => {
      await using fixture = await open();
      const { db, clock } = fixture;
      const [ada, grace, linus] = await trio(db);
      const received = listen(db);
      const channel = await db.write(createChannel, ada, [grace.wallet, linus.wallet]);
      expect(channel).toEqual({
        _id: channel._id,
        name: '',
        chatPicture: '',
        createdAt: clock.now,
        updatedAt: clock.now,
        participants: [
          { wallet: ada.wallet, userGroup: 0, permissions: [...creatorPermissions] },
          { wallet: grace.wallet, userGroup: 0, permissions: [...memberPermissions] },
          { wallet: linus.wallet, userGroup: 0, permissions: [...memberPermissions] },
        ],
        gameId: ada.gameId,
      });
      expect(received).toMatchObject([{ name: 'message-channels created', seq: 1, record: channel }]);
      expect(audienceOf(received[0])).toEqual([ada, grace, linus].map(({ wallet }) => wallet).sort());
      for await (const one of nowAndReopened(fixture)) {
        for (const member of [ada, grace, linus]) {
          expect(await one.read(listChannels, member, wholePage)).toEqual({ total: 1, rows: [channel] });
        }
      }
    });

    test('members are returned with their names and their live sessions in the game and in launchers', async () => {
      await using fixture = await open();
      const { db } = fixture;
      const [ada, linus] = await trio(db);
      const grace = { gameId: ada.gameId, wallet: randomWallet() };
      const launcher = await addGame(db, { kind: 'launcher', name: 'Launcher' });
      const elsewhere = await addGame(db);
      await db.write(setProfile, grace.wallet, { username: 'Grace', avatar: '/grace.svg' });
      const newcomer = randomWallet();
      const { _id } = await db.write(createChannel, ada, [grace.wallet, newcomer]);
      const inGame = await db.write(startSession, grace, hour);
      const inLauncher = await db.write(startSession, { gameId: launcher.id, wallet: grace.wallet }, hour);
      await db.write(startSession, { gameId: elsewhere.id, wallet: grace.wallet }, hour);
      const ended = await db.write(startSession, grace, hour);
      await db.write(endSession, grace.wallet, ended.session.id);
      const [first, second, third, ...more] = await db.read(listChannelMembers, ada, _id);
      expect(first).toMatchObject({ wallet: ada.wallet });
      expect(second).toMatchObject({ wallet: grace.wallet, username: 'Grace', avatar: '/grace.svg' });
      expect(second?.sessionIds.toSorted()).toEqual([inGame.session.id, inLauncher.session.id].toSorted());
      expect(third).toEqual({ wallet: newcomer, username: '', avatar: '', sessionIds: [] });
      expect(more).toEqual([]);
      await expect(db.read(listChannelMembers, linus, _id)).rejects.toMatchObject({
        reason: 'channel_unknown',
      });
    });

    test('the same participants in the same game get the same channel, also concurrently', async () => {
      await using fixture = await open();
      const { db } = fixture;
      const [ada, grace, linus] = await trio(db);
      const received = listen(db);
      const channels = await Promise.all([
        db.write(createChannel, ada, [grace.wallet, linus.wallet]),
        db.write(createChannel, ada, [linus.wallet, grace.wallet]),
        db.write(createChannel, grace, [ada.wallet, linus.wallet]),
        db.write(createChannel, linus, [grace.wallet, ada.wallet]),
      ]);
      expect(new Set(channels.map(({ _id }) => _id))).toHaveLength(1);
      expect(received).toHaveLength(1);
      const pair = await db.write(createChannel, ada, [grace.wallet]);
      expect(pair._id).not.toBe(channels[0]._id);
      const again = await (await fixture.reopen()).write(createChannel, grace, [ada.wallet]);
      expect(again).toEqual(pair);
    });

    test('the same participants in another game have another channel, and neither is visible from the other', async () => {
      await using fixture = await open();
      const { db } = fixture;
      const [ada, grace] = await trio(db);
      const { id: gameId } = await addGame(db);
      const elsewhere = { gameId, wallet: ada.wallet };
      const here = await db.write(createChannel, ada, [grace.wallet]);
      const there = await db.write(createChannel, elsewhere, [grace.wallet]);
      expect(there._id).not.toBe(here._id);
      expect((await db.read(listChannels, ada, wholePage)).rows).toEqual([here]);
      await expect(db.read(listChannelMessages, elsewhere, here._id, wholePage)).rejects.toMatchObject({
        reason: 'channel_unknown',
      });
      await expect(db.write(sendMessage, elsewhere, here._id, 'hi')).rejects.toMatchObject({
        reason: 'channel_unknown',
      });
    });

    test('channels are listed by latest activity, ties by id, in pages with the total', async () => {
      await using fixture = await open();
      const { db, clock } = fixture;
      const { id: gameId } = await addGame(db);
      const ada = await addPlayer(db, gameId);
      const ids: string[] = [];
      for (let index = 0; index < 4; index++) {
        clock.advance(1);
        ids.push((await db.write(createChannel, ada, [randomWallet()]))._id);
      }
      const [a = '', b = '', c = '', d = ''] = ids;
      clock.advance(1);
      await db.write(sendMessage, ada, b, 'hello');
      await db.write(editChannelInfo, ada, a, { name: 'Named' }); // in the same millisecond
      const [first = '', second = ''] = [a, b].sort().reverse();
      const listed = async (limit: number, skip: number) => {
        const { total, rows } = await db.read(listChannels, ada, { limit, skip });
        return { total, ids: rows.map(({ _id }) => _id) };
      };
      expect(await listed(250, 0)).toEqual({ total: 4, ids: [first, second, d, c] });
      expect(await listed(2, 1)).toEqual({ total: 4, ids: [second, d] });
      expect(await listed(2, 4)).toEqual({ total: 4, ids: [] });
    });

    test('an added player is in it from then on, and the channel of the new set is this one', async () => {
      await using fixture = await open();
      const { db, clock } = fixture;
      const [ada, grace, linus] = await trio(db);
      const { _id } = await db.write(createChannel, ada, [grace.wallet]);
      const received = listen(db);
      clock.advance(1);
      const channel = await db.write(addToChannel, ada, _id, linus.wallet);
      expect(channel.updatedAt).toBe(clock.now);
      expect(channel.participants.at(-1)).toEqual({
        wallet: linus.wallet,
        userGroup: 0,
        permissions: [...memberPermissions],
      });
      expect(received).toMatchObject([{ name: 'message-channels patched', seq: 2, record: channel }]);
      expect(audienceOf(received[0])).toContain(linus.wallet);
      await db.write(sendMessage, linus, _id, 'thanks');
      expect(await db.write(createChannel, linus, [ada.wallet, grace.wallet])).toMatchObject({ _id });
      expect((await db.write(createChannel, ada, [grace.wallet]))._id).not.toBe(_id);
    });

    test('an event read late, in another process, is for the participants at the time', async () => {
      await using fixture = await open.empty();
      const { db } = fixture;
      const [ada, grace, linus] = await trio(db);
      const received = listen(db);
      const { _id } = await db.write(createChannel, ada, [grace.wallet]);
      await db.write(sendMessage, ada, _id, 'with Grace');
      await db.write(removeFromChannel, ada, _id, grace.wallet);
      await db.write(sendMessage, ada, _id, 'without her');
      await db.write(addToChannel, ada, _id, linus.wallet);
      await db.write(addToChannel, ada, _id, grace.wallet);
      await db.write(sendMessage, grace, _id, 'back again');
      for (const { wallet } of [grace, linus, ada]) {
        await db.write(removeFromChannel, { ...ada, wallet }, _id, wallet);
      }
      const audiences = received.map((event) => [event.seq, audienceOf(event)]);
      const of = (...members: { wallet: string }[]) => members.map(({ wallet }) => wallet).sort();
      expect(audiences).toEqual([
        [1, of(ada, grace)],
        [2, of(ada, grace)],
        [3, of(ada)],
        [4, of(ada)],
        [5, of(ada, linus)],
        [6, of(ada, linus, grace)],
        [7, of(ada, linus, grace)],
        [8, of(ada, linus)],
        [9, of(ada)],
        [10, []],
      ]);
      const before = { [received[0]?.lane ?? 0]: (received[0]?.position ?? 0) - 1 };
      for (const one of [await fixture.openOtherProcess(), await fixture.reopen()]) {
        const { events: read } = await one.read(eventsAfter, before, 100);
        expect(read.map((event) => [event.seq, audienceOf(event)])).toEqual(audiences);
        expect(read.slice(0, -1).map(({ audience }) => 'gameId' in audience && audience.gameId)).toEqual(
          audiences.slice(0, -1).map(() => ada.gameId),
        );
      }
    });

    test('a wallet is removed from all its channels, and its messages are erased, in batches', async () => {
      await using fixture = await open();
      const { db } = fixture;
      const [ada, grace] = await trio(db);
      const ids = await Promise.all(
        Array.from({ length: 60 }, async () => {
          const { _id } = await db.write(createChannel, ada, [grace.wallet, randomWallet()]);
          return _id;
        }),
      );
      const [first = ''] = ids;
      await Promise.all(Array.from({ length: 450 }, () => db.write(sendMessage, grace, first, 'canary')));
      await db.write(sendMessage, ada, first, 'this stays');
      await db.write(removeFromChannel, grace, first, grace.wallet);
      const received = listen(db);
      const rounds = async (step: () => Promise<boolean>) => {
        let count = 1;
        while (await step()) count++;
        return count;
      };
      expect(await rounds(() => db.write(eraseMessagesOf, grace.wallet))).toBeGreaterThan(1);
      expect(await rounds(async () => (await db.write(leaveAllChannels, grace.wallet)).more)).toBeGreaterThan(
        1,
      );
      const count = (name: string) => received.filter((event) => event.name === name).length;
      expect([count('chat-messages removed'), count('message-channels patched')]).toEqual([450, 59]);
      expect(await db.read(listChannels, grace, wholePage)).toEqual({ total: 0, rows: [] });
      expect(await db.read(listChannelMessages, ada, first, wholePage)).toMatchObject({
        total: 1,
        rows: [{ content: 'this stays' }],
      });
      const kept = await db.read(eventsOfStream, `channel:${first}`, 0, 1_000);
      expect(kept.filter((event) => event.record.includes('canary'))).toEqual([]);
    });

    test('a removed participant has no access to the channel and receives nothing of it', async () => {
      await using fixture = await open();
      const { db } = fixture;
      const [ada, grace, linus] = await trio(db);
      const { _id } = await db.write(createChannel, ada, [grace.wallet, linus.wallet]);
      const message = await db.write(sendMessage, grace, _id, 'hello');
      const received = listen(db);
      const channel = await db.write(removeFromChannel, ada, _id, grace.wallet);
      expect(channel.participants.map(({ wallet }) => wallet)).toEqual([ada.wallet, linus.wallet]);
      await db.write(sendMessage, ada, _id, 'without her');
      for (const event of received) expect(audienceOf(event)).not.toContain(grace.wallet);
      expect(summarize(received)).toEqual([
        ['message-channels patched', 3],
        ['chat-messages created', 4],
      ]);
      expect(await db.read(listChannels, grace, wholePage)).toEqual({ total: 0, rows: [] });
      for (const [attempt, reason] of [
        [() => db.read(listChannelMessages, grace, _id, wholePage), 'channel_unknown'],
        [() => db.write(sendMessage, grace, _id, 'hi'), 'channel_unknown'],
        [() => db.write(editMessage, grace, message._id, 'hi'), 'message_unknown'],
        [() => db.write(unsendMessage, grace, message._id), 'message_unknown'],
        [() => db.write(removeFromChannel, grace, _id, grace.wallet), 'channel_unknown'],
      ] as const) {
        await expect(attempt()).rejects.toMatchObject({ reason });
      }
    });

    test('anyone may leave, and when the last in charge has left, the longest-standing participant takes over', async () => {
      await using fixture = await open();
      const { db } = fixture;
      const [ada, grace, linus] = await trio(db);
      const { _id } = await db.write(createChannel, ada, [grace.wallet, linus.wallet]);
      const left = await db.write(removeFromChannel, ada, _id, ada.wallet);
      expect(left.participants).toEqual([
        { wallet: grace.wallet, userGroup: 0, permissions: [...creatorPermissions] },
        { wallet: linus.wallet, userGroup: 0, permissions: [...memberPermissions] },
      ]);
      const store2 = await fixture.reopen();
      expect((await store2.read(listChannels, grace, wholePage)).rows).toEqual([left]);
      expect((await store2.write(removeFromChannel, linus, _id, linus.wallet)).participants).toHaveLength(1);
      expect((await store2.write(removeFromChannel, grace, _id, grace.wallet)).participants).toEqual([]);
    });

    test('editing changes the given fields and keeps the rest', async () => {
      await using fixture = await open();
      const { db, clock } = fixture;
      const [ada, grace] = await trio(db);
      const created = await db.write(createChannel, ada, [grace.wallet]);
      clock.advance(1);
      const named = await db.write(editChannelInfo, ada, created._id, { name: 'Crew' });
      expect(named).toEqual({ ...created, name: 'Crew', updatedAt: clock.now });
      const pictured = await db.write(editChannelInfo, ada, created._id, {
        chatPicture: 'https://p.example/1',
      });
      expect(pictured).toEqual({ ...named, chatPicture: 'https://p.example/1' });
      const unnamed = await db.write(editChannelInfo, ada, created._id, { name: '' });
      expect(unnamed).toEqual({ ...pictured, name: '' });
      expect((await (await fixture.reopen()).read(listChannels, grace, wholePage)).rows).toEqual([unnamed]);
    });

    test(`a channel has at most ${maxParticipants} participants`, async () => {
      await using fixture = await open();
      const { db } = fixture;
      const [ada] = await trio(db);
      const others = Array.from({ length: maxParticipants - 1 }, randomWallet);
      const { _id } = await db.write(createChannel, ada, others);
      await expect(db.write(addToChannel, ada, _id, randomWallet())).rejects.toMatchObject({
        reason: 'participants_invalid',
      });
    });
  });
}

function audienceOf(event: Pick<StoredEvent, 'audience'> | undefined): string[] {
  return event?.audience.kind === 'players' ? [...event.audience.wallets].sort() : [];
}
