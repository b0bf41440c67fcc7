import { describe, expect, test } from 'vitest';
import { createChannel } from '../../../src/features/messages/channel-commands.ts';
import { editMessage, sendMessage } from '../../../src/features/messages/message-commands.ts';
import { mute, muteInChannel, trimMutes } from '../../../src/features/moderation/commands.ts';
import { readMutes } from '../../../src/features/moderation/queries.ts';
import { addGame, addPlayer, nowAndReopened, type OpenStore, trio, wholePage } from './fixture.ts';

const for60 = { seconds: 60, reason: '' };
const end = { seconds: 0, reason: '' };

/** The contract of commands and queries about muted players. */
export function mutesContract(open: OpenStore): void {
  describe('mutes', () => {
    test('keep a player from posting and editing, in a channel or in all of the game, until they expire', async () => {
      await using fixture = await open();
      const { db, clock } = fixture;
      const [ada, grace, linus] = await trio(db);
      const { _id: one } = await db.write(createChannel, ada, [grace.wallet]);
      const { _id: other } = await db.write(createChannel, ada, [grace.wallet, linus.wallet]);
      const sent = await db.write(sendMessage, grace, one, 'before');
      const until = clock.now + 60_000;
      expect(
        await db.write(muteInChannel, ada, one, grace.wallet, { seconds: 60, reason: 'Calm down' }),
      ).toBe(until);
      const told = `You are muted in this channel until ${new Date(until).toISOString()}: Calm down`;
      for await (const store of nowAndReopened(fixture)) {
        const refusal = { reason: 'muted', message: told, retryAfterSeconds: 60 };
        await expect(store.write(sendMessage, grace, one, 'no')).rejects.toMatchObject(refusal);
        await expect(store.write(editMessage, grace, sent._id, 'no')).rejects.toMatchObject(refusal);
        await store.write(sendMessage, grace, other, 'here I may');
        await store.write(sendMessage, ada, one, 'I may');
      }
      const again = await fixture.reopen();
      await again.write(mute, grace, null, 'server', { seconds: 120, reason: '' });
      await expect(again.write(sendMessage, grace, other, 'no')).rejects.toMatchObject({
        reason: 'muted',
        message: `You are muted in this game until ${new Date(until + 60_000).toISOString()}`,
      });
      clock.advance(60_000);
      await expect(again.write(sendMessage, grace, one, 'no')).rejects.toMatchObject({ reason: 'muted' });
      clock.advance(60_000);
      await again.write(sendMessage, grace, one, 'yes');
    });

    test('are each ended by their issuer, listed while they last, and purged', async () => {
      await using fixture = await open();
      const { db, clock } = fixture;
      const [ada, grace] = await trio(db);
      const { _id: channelId } = await db.write(createChannel, ada, [grace.wallet]);
      await db.write(mute, grace, channelId, 'moderator', { seconds: 90, reason: 'Spam' });
      await db.write(muteInChannel, ada, channelId, grace.wallet, for60);
      await db.write(muteInChannel, ada, channelId, grace.wallet, end);
      await expect(db.write(sendMessage, grace, channelId, 'no')).rejects.toMatchObject({ reason: 'muted' });
      await db.write(mute, grace, null, 'server', for60);
      const list = async (filter: { gameId?: string; wallet?: string }) =>
        (await db.read(readMutes, filter, wholePage)).rows;
      expect(await list({ wallet: grace.wallet, gameId: ada.gameId })).toEqual([
        {
          wallet: grace.wallet,
          username: '',
          gameId: ada.gameId,
          channelId,
          mutedBy: 'moderator',
          until: clock.now + 90_000,
          reason: 'Spam',
          createdAt: clock.now,
        },
        expect.objectContaining({ channelId: null, mutedBy: 'server', until: clock.now + 60_000 }),
      ]);
      expect(await list({ wallet: ada.wallet })).toEqual([]);
      clock.advance(60_000);
      expect(await list({})).toHaveLength(1);
      expect(await db.write(trimMutes)).toBe(false);
      const ended = db.write(mute, grace, null, 'server', end);
      await expect(ended).rejects.toMatchObject({ reason: 'player_not_muted' });
      expect(await db.write(mute, grace, channelId, 'moderator', end)).toBeNull();
      await db.write(sendMessage, grace, channelId, 'yes');
    });

    test('can be given only by those who run the channel, to those who do not, for existing players and channels', async () => {
      await using fixture = await open();
      const { db } = fixture;
      const [ada, grace, linus] = await trio(db);
      const { _id: channelId } = await db.write(createChannel, ada, [grace.wallet]);
      const { id: otherGame } = await addGame(db);
      const elsewhere = await addPlayer(db, otherGame, grace.wallet);
      const nobody = { gameId: ada.gameId, wallet: `0x${'9'.repeat(40)}` };
      for (const [attempt, reason] of [
        [() => db.write(muteInChannel, grace, channelId, ada.wallet, for60), 'permission_missing'],
        [() => db.write(muteInChannel, linus, channelId, ada.wallet, for60), 'channel_unknown'],
        [() => db.write(muteInChannel, ada, channelId, ada.wallet, for60), 'participants_invalid'],
        [() => db.write(muteInChannel, ada, channelId, linus.wallet, for60), 'participants_invalid'],
        [() => db.write(muteInChannel, ada, channelId, grace.wallet, end), 'player_not_muted'],
        [() => db.write(mute, elsewhere, channelId, 'server', for60), 'channel_unknown'],
        [() => db.write(mute, nobody, null, 'server', for60), 'player_unknown'],
      ] as const) {
        await expect(attempt()).rejects.toMatchObject({ reason });
      }
      await db.write(mute, elsewhere, null, 'server', for60);
      await db.write(sendMessage, grace, channelId, 'another game is not this one');
    });
  });
}
