import { describe, expect, test } from 'vitest';
import {
  creatorPermissions,
  maximumParticipants,
  memberPermissions,
} from '../../../src/domain/message-channel.ts';
import type { StoredEvent } from '../../../src/events/stream.ts';
import { randomWallet } from '../../support/server.ts';
import {
  addGame,
  addPlayer,
  hour,
  inShort,
  listen,
  nowAndReopened,
  type OpenStore,
  trio,
  wholePage,
} from './fixture.ts';

export function messageChannelsContract(open: OpenStore): void {
  describe('message channels', () => {
    test('a new channel has its creator in charge and the others able to write, also after a reopen', async () => {
      await using fixture = await open();
      const { store, clock } = fixture;
      const [ada, grace, linus] = await trio(store);
      const heard = listen(store);
      const channel = await store.messageChannels.create(ada, [grace.wallet, linus.wallet]);
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
      expect(heard).toMatchObject([{ name: 'message-channels created', seq: 1, record: channel }]);
      expect(audienceOf(heard[0])).toEqual([ada, grace, linus].map(({ wallet }) => wallet).sort());
      for await (const one of nowAndReopened(fixture)) {
        for (const member of [ada, grace, linus]) {
          expect(await one.messageChannels.list(member, wholePage)).toEqual({ total: 1, rows: [channel] });
        }
      }
    });

    test('members are told with their names and their live sessions in the game and in launchers', async () => {
      await using fixture = await open();
      const { store } = fixture;
      const [ada, linus] = await trio(store);
      const grace = { gameId: ada.gameId, wallet: randomWallet() };
      const launcher = await addGame(store, { kind: 'launcher', name: 'Launcher' });
      const elsewhere = await addGame(store);
      await store.players.setProfile(grace.wallet, { username: 'Grace', avatar: '/grace.svg' });
      const newcomer = randomWallet();
      const { _id } = await store.messageChannels.create(ada, [grace.wallet, newcomer]);
      const inGame = await store.sessions.open(grace, hour);
      const inLauncher = await store.sessions.open({ gameId: launcher.id, wallet: grace.wallet }, hour);
      await store.sessions.open({ gameId: elsewhere.id, wallet: grace.wallet }, hour);
      const ended = await store.sessions.open(grace, hour);
      await store.sessions.end(grace.wallet, ended.session.id);
      const [first, second, third, ...more] = await store.channelMembers.list(ada, _id);
      expect(first).toMatchObject({ wallet: ada.wallet });
      expect(second).toMatchObject({ wallet: grace.wallet, username: 'Grace', avatar: '/grace.svg' });
      expect(second?.sessionIds.toSorted()).toEqual([inGame.session.id, inLauncher.session.id].toSorted());
      expect(third).toEqual({ wallet: newcomer, username: '', avatar: '', sessionIds: [] });
      expect(more).toEqual([]);
      await expect(store.channelMembers.list(linus, _id)).rejects.toMatchObject({
        reason: 'channel_unknown',
      });
    });

    test('the same participants in the same game get the same channel, whoever asks and however many at once', async () => {
      await using fixture = await open();
      const { store } = fixture;
      const [ada, grace, linus] = await trio(store);
      const heard = listen(store);
      const channels = await Promise.all([
        store.messageChannels.create(ada, [grace.wallet, linus.wallet]),
        store.messageChannels.create(ada, [linus.wallet, grace.wallet]),
        store.messageChannels.create(grace, [ada.wallet, linus.wallet]),
        store.messageChannels.create(linus, [grace.wallet, ada.wallet]),
      ]);
      expect(new Set(channels.map(({ _id }) => _id))).toHaveLength(1);
      expect(heard).toHaveLength(1);
      const pair = await store.messageChannels.create(ada, [grace.wallet]);
      expect(pair._id).not.toBe(channels[0]._id);
      const again = await (await fixture.reopen()).messageChannels.create(grace, [ada.wallet]);
      expect(again).toEqual(pair);
    });

    test('the same participants in another game have another channel, and neither is seen from the other', async () => {
      await using fixture = await open();
      const { store } = fixture;
      const [ada, grace] = await trio(store);
      const { id: gameId } = await addGame(store);
      const elsewhere = { gameId, wallet: ada.wallet };
      const here = await store.messageChannels.create(ada, [grace.wallet]);
      const there = await store.messageChannels.create(elsewhere, [grace.wallet]);
      expect(there._id).not.toBe(here._id);
      expect((await store.messageChannels.list(ada, wholePage)).rows).toEqual([here]);
      await expect(store.messages.list(elsewhere, here._id, wholePage)).rejects.toMatchObject({
        reason: 'channel_unknown',
      });
      await expect(store.messages.send(elsewhere, here._id, 'hi')).rejects.toMatchObject({
        reason: 'channel_unknown',
      });
    });

    test('channels are listed by latest activity, ties by id, in pages that know the total', async () => {
      await using fixture = await open();
      const { store, clock } = fixture;
      const { id: gameId } = await addGame(store);
      const ada = await addPlayer(store, gameId);
      const ids: string[] = [];
      for (let index = 0; index < 4; index++) {
        clock.advance(1);
        ids.push((await store.messageChannels.create(ada, [randomWallet()]))._id);
      }
      const [a = '', b = '', c = '', d = ''] = ids;
      clock.advance(1);
      await store.messages.send(ada, b, 'hello');
      await store.messageChannels.editInfo(ada, a, { name: 'Named' }); // in the same millisecond
      const [first = '', second = ''] = [a, b].sort().reverse();
      const listed = async (limit: number, skip: number) => {
        const { total, rows } = await store.messageChannels.list(ada, { limit, skip });
        return { total, ids: rows.map(({ _id }) => _id) };
      };
      expect(await listed(250, 0)).toEqual({ total: 4, ids: [first, second, d, c] });
      expect(await listed(2, 1)).toEqual({ total: 4, ids: [second, d] });
      expect(await listed(2, 4)).toEqual({ total: 4, ids: [] });
    });

    test('who is added is in it from then on, and the channel of the new set is this one', async () => {
      await using fixture = await open();
      const { store, clock } = fixture;
      const [ada, grace, linus] = await trio(store);
      const { _id } = await store.messageChannels.create(ada, [grace.wallet]);
      const heard = listen(store);
      clock.advance(1);
      const channel = await store.messageChannels.addParticipant(ada, _id, linus.wallet);
      expect(channel.updatedAt).toBe(clock.now);
      expect(channel.participants.at(-1)).toEqual({
        wallet: linus.wallet,
        userGroup: 0,
        permissions: [...memberPermissions],
      });
      expect(heard).toMatchObject([{ name: 'message-channels patched', seq: 2, record: channel }]);
      expect(audienceOf(heard[0])).toContain(linus.wallet);
      await store.messages.send(linus, _id, 'thanks');
      expect(await store.messageChannels.create(linus, [ada.wallet, grace.wallet])).toMatchObject({ _id });
      expect((await store.messageChannels.create(ada, [grace.wallet]))._id).not.toBe(_id);
    });

    test('who was removed reaches nothing of the channel any more and is told of nothing', async () => {
      await using fixture = await open();
      const { store } = fixture;
      const [ada, grace, linus] = await trio(store);
      const { _id } = await store.messageChannels.create(ada, [grace.wallet, linus.wallet]);
      const message = await store.messages.send(grace, _id, 'hello');
      const heard = listen(store);
      const channel = await store.messageChannels.removeParticipant(ada, _id, grace.wallet);
      expect(channel.participants.map(({ wallet }) => wallet)).toEqual([ada.wallet, linus.wallet]);
      await store.messages.send(ada, _id, 'without her');
      for (const event of heard) expect(audienceOf(event)).not.toContain(grace.wallet);
      expect(inShort(heard)).toEqual([
        ['message-channels patched', 3],
        ['chat-messages created', 4],
      ]);
      expect(await store.messageChannels.list(grace, wholePage)).toEqual({ total: 0, rows: [] });
      for (const [attempt, reason] of [
        [store.messages.list(grace, _id, wholePage), 'channel_unknown'],
        [store.messages.send(grace, _id, 'hi'), 'channel_unknown'],
        [store.messages.edit(grace, message._id, 'hi'), 'message_unknown'],
        [store.messages.unsend(grace, message._id), 'message_unknown'],
        [store.messageChannels.removeParticipant(grace, _id, grace.wallet), 'channel_unknown'],
      ] as const) {
        await expect(attempt).rejects.toMatchObject({ reason });
      }
    });

    test('anyone may leave, and when the last in charge has left, who has been there longest takes over', async () => {
      await using fixture = await open();
      const { store } = fixture;
      const [ada, grace, linus] = await trio(store);
      const { _id } = await store.messageChannels.create(ada, [grace.wallet, linus.wallet]);
      const left = await store.messageChannels.removeParticipant(ada, _id, ada.wallet);
      expect(left.participants).toEqual([
        { wallet: grace.wallet, userGroup: 0, permissions: [...creatorPermissions] },
        { wallet: linus.wallet, userGroup: 0, permissions: [...memberPermissions] },
      ]);
      const store2 = await fixture.reopen();
      expect((await store2.messageChannels.list(grace, wholePage)).rows).toEqual([left]);
      expect(
        (await store2.messageChannels.removeParticipant(linus, _id, linus.wallet)).participants,
      ).toHaveLength(1);
      expect((await store2.messageChannels.removeParticipant(grace, _id, grace.wallet)).participants).toEqual(
        [],
      );
    });

    test('editing changes what is given and leaves the rest', async () => {
      await using fixture = await open();
      const { store, clock } = fixture;
      const [ada, grace] = await trio(store);
      const created = await store.messageChannels.create(ada, [grace.wallet]);
      clock.advance(1);
      const named = await store.messageChannels.editInfo(ada, created._id, { name: 'Crew' });
      expect(named).toEqual({ ...created, name: 'Crew', updatedAt: clock.now });
      const pictured = await store.messageChannels.editInfo(ada, created._id, {
        chatPicture: 'https://p.example/1',
      });
      expect(pictured).toEqual({ ...named, chatPicture: 'https://p.example/1' });
      const unnamed = await store.messageChannels.editInfo(ada, created._id, { name: '' });
      expect(unnamed).toEqual({ ...pictured, name: '' });
      expect((await (await fixture.reopen()).messageChannels.list(grace, wholePage)).rows).toEqual([unnamed]);
    });

    test(`a channel takes ${maximumParticipants} participants and not one more`, async () => {
      await using fixture = await open();
      const { store } = fixture;
      const [ada] = await trio(store);
      const others = Array.from({ length: maximumParticipants - 1 }, randomWallet);
      const { _id } = await store.messageChannels.create(ada, others);
      await expect(store.messageChannels.addParticipant(ada, _id, randomWallet())).rejects.toMatchObject({
        reason: 'participants_invalid',
      });
    });
  });
}

function audienceOf(event: StoredEvent | undefined): string[] {
  return event?.audience.kind === 'players' ? [...event.audience.wallets].sort() : [];
}
