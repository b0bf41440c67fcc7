import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { GantryError } from '../../../src/core/errors.ts';
import type { Owner } from '../../../src/core/schemas/owner.ts';
import type { Store } from '../../../src/core/storage/store.ts';
import { recordActivity } from '../../../src/features/activities/commands.ts';
import { ban, beginAudit, unban } from '../../../src/features/administration/commands.ts';
import { auditedErasure } from '../../../src/features/administration/erasing-commands.ts';
import { nextErasure } from '../../../src/features/administration/erasure-schedule.ts';
import { sweepErased } from '../../../src/features/administration/erasure-sweeps.ts';
import { erasePlayerData } from '../../../src/features/administration/player-eraser.ts';
import {
  createChannel,
  editChannelInfo,
  removeFromChannel,
} from '../../../src/features/messages/channel-commands.ts';
import { sendMessage } from '../../../src/features/messages/message-commands.ts';
import { addReactionTo } from '../../../src/features/messages/reaction-commands.ts';
import { notifyPlayer } from '../../../src/features/notifications/commands.ts';
import { trackPlaySession } from '../../../src/features/play-sessions/commands.ts';
import { ensurePlayer } from '../../../src/features/players/commands.ts';
import { isBanned } from '../../../src/features/players/queries.ts';
import { setScore } from '../../../src/features/scores/commands.ts';
import { listScores } from '../../../src/features/scores/queries.ts';
import { saveState } from '../../../src/features/states/commands.ts';
import { tables } from '../../../src/server/declarations/tables.ts';
import { rowsIn } from '../../support/rows-in.ts';
import { randomWallet } from '../../support/server.ts';
import { addGame, addPlayer, interposed, type OpenStore, tablesWith, trio, wholePage } from './fixture.ts';

/** How long the calls that were admitted before have. */
const settleMs = 2_000;
/** When an erasure whose process was killed is resumed. */
const stalledMs = 10_000;

/** The contract of erasing a player while calls that were admitted before still write, and processes are killed. */
export function playerErasingContract(open: OpenStore): void {
  describe('erasing a player', () => {
    test('leaves the ban and the ends of sessions until the sweep, and nothing afterwards', async () => {
      await using fixture = await open.empty();
      const { db, clock } = fixture;
      const [ada, grace] = await trio(db);
      await live(db, ada, grace, 'own');
      await db.write(ban, ada.wallet, ada.gameId, 'cheats');
      const { id: elsewhere } = await addGame(db);
      await addPlayer(db, elsewhere, ada.wallet);
      await erasePlayerData(db, tables, ada.wallet);
      await erasePlayerData(db, tables, ada.wallet); // repeated, as by an operator whose terminal was closed
      expect(await tablesWith(db, ada.wallet)).toEqual(['bans', 'erasures', 'events', 'streams']);
      expect(await tablesWith(db, 'own')).toEqual([]);
      expect(await rowsIn(db, 'SELECT game_id, reason FROM bans', {})).toEqual([
        { game_id: '', reason: 'is being erased' },
      ]);
      const end = { gameId: elsewhere, exists: false, endReason: 'erased' };
      expect(await eventsWith(db, ada.wallet)).toMatchObject([end]);
      clock.advance(settleMs - 1);
      await sweepErased(db, tables);
      expect(await db.read(isBanned, ada)).toBe(true);
      clock.advance(1);
      await sweepErased(db, tables);
      expect(await tablesWith(db, ada.wallet)).toEqual([]);
      expect(await db.read(isBanned, ada)).toBe(false);
      expect(await db.read(nextErasure)).toBeNull();
    });

    test('also erases what is committed between any two of its steps, and afterwards', async () => {
      await using fixture = await open.empty();
      const { db, clock } = fixture;
      const [ada, grace] = await trio(db);
      await live(db, ada, grace, 'own');
      const admitted = interposed(db, () => live(db, ada, grace, 'late'));
      await erasePlayerData(admitted, tables, ada.wallet);
      expect(await tablesWith(db, 'late')).toEqual(
        expect.arrayContaining(['activities', 'messages', 'states']),
      );
      clock.advance(settleMs);
      await sweepErased(db, tables);
      for (const text of [ada.wallet, 'own', 'late'])
        expect([text, await tablesWith(db, text)]).toEqual([text, []]);
      expect(await tablesWith(db, grace.wallet)).toEqual(expect.arrayContaining(['participants', 'players']));
    });

    test('leaves JSON behind at every step, for those who read states and export games meanwhile', async () => {
      await using fixture = await open.empty();
      const { db } = fixture;
      const [ada, grace] = await trio(db);
      await live(db, ada, grace, 'own');
      await db.write(trackPlaySession, ada, { sessionId: randomUUID(), state: '"own"', endTime: undefined });
      const seen = new Set<unknown>();
      const watched = interposed(db, async () => {
        const rows = [
          ...(await rowsIn(db, 'SELECT json FROM states', {})),
          ...(await rowsIn(db, 'SELECT state AS json FROM play_sessions', {})),
        ];
        for (const row of rows) seen.add(JSON.parse(String(Object(row).json)));
      });
      await erasePlayerData(watched, tables, ada.wallet);
      expect(seen).toEqual(new Set(['own', '000']));
    });

    test('keeps the player out until the sweep, and erases nothing of what they do when they are back', async () => {
      await using fixture = await open.empty();
      const { db, clock } = fixture;
      const [ada] = await trio(db);
      await erasePlayerData(db, tables, ada.wallet);
      const reason = 'player_not_banned';
      await expect(db.write(unban, ada.wallet, null)).rejects.toMatchObject({ reason });
      await expect(addPlayer(db, ada.gameId, ada.wallet)).rejects.toMatchObject({ reason: 'player_banned' });
      clock.advance(settleMs);
      await sweepErased(db, tables);
      await addPlayer(db, ada.gameId, ada.wallet);
      await db.write(setScore, ada, 7, 'back');
      clock.advance(stalledMs);
      await sweepErased(db, tables);
      expect(await scoresOf(db, ada)).toEqual([7]);
    });

    test('a process that is late erases nothing of a player who has come back', async () => {
      await using fixture = await open.empty();
      const { db, clock } = fixture;
      const [ada] = await trio(db);
      const paused = await fixture.openOtherProcess();
      for (const erasing of ['first', 'last'] as const) {
        const comeBack = async (writes: number) => {
          if (writes !== 5) return;
          clock.advance(stalledMs);
          await sweepErased(db, tables);
          await addPlayer(db, ada.gameId, ada.wallet);
          await db.write(setScore, ada, 7, erasing);
        };
        if (erasing === 'last') {
          await erasePlayerData(db, tables, ada.wallet);
          clock.advance(settleMs);
          await sweepErased(interposed(paused, comeBack), tables);
        } else await erasePlayerData(interposed(paused, comeBack), tables, ada.wallet);
        expect([erasing, await scoresOf(db, ada)]).toEqual([erasing, [7]]);
        expect(await db.read(nextErasure)).toBeNull();
      }
    });

    test.each([
      ['by itself', 12],
      ['by repeating it', 1],
    ])('is resumed %s after the process was killed, after %i writes', async (how, killedAfter) => {
      await using fixture = await open.empty();
      const [ada, grace] = await trio(fixture.db);
      await live(fixture.db, ada, grace, 'own');
      for (const { wallet } of [ada, grace])
        await fixture.db.write(beginAudit, 'cli', 'erasePlayer', auditedErasure(wallet), null);
      const killed = interposed(fixture.db, (writes) => {
        if (writes === killedAfter) throw new Error('killed');
      });
      await expect(erasePlayerData(killed, tables, ada.wallet)).rejects.toThrow('killed');
      const db = await fixture.reopen();
      await sweepErased(db, tables);
      expect(await tablesWith(db, ada.wallet)).toContain('players');
      if (how === 'by repeating it') await erasePlayerData(db, tables, ada.wallet);
      fixture.clock.advance(stalledMs);
      await sweepErased(db, tables);
      for (const text of [ada.wallet, 'own']) expect([text, await tablesWith(db, text)]).toEqual([text, []]);
      const entries = await rowsIn(db, 'SELECT outcome FROM audit_log ORDER BY id', {});
      expect(entries).toEqual([{ outcome: 'ok' }, { outcome: null }]);
    });

    test('is swept once by several processes', async () => {
      await using fixture = await open.empty();
      const [ada, grace] = await trio(fixture.db);
      const other = await fixture.openOtherProcess();
      for (const { wallet } of [ada, grace]) await erasePlayerData(fixture.db, tables, wallet);
      fixture.clock.advance(settleMs);
      await Promise.all([fixture.db, other, fixture.db, other].map((db) => sweepErased(db, tables)));
      for (const { wallet } of [ada, grace]) expect(await tablesWith(fixture.db, wallet)).toEqual([]);
    });
  });
}

/** What calls that were admitted write for a player, with this text; some fail once the player is partly erased. */
async function live(db: Store, owner: Owner, other: Owner, text: string): Promise<void> {
  const settled = await Promise.allSettled([
    db.write(ensurePlayer, owner),
    db.write(setScore, owner, 5, text),
    db.write(saveState, owner, text, JSON.stringify(text), 'hash'),
    db.write(recordActivity, owner, { label: text, eventId: 'event' }),
    db.write(notifyPlayer, owner, { message: text, type: 'success' }),
    converse(db, owner, other, text),
  ]);
  for (const one of settled) {
    if (one.status === 'fulfilled' || one.reason instanceof GantryError) continue;
    // SQLite refuses an activity of a player who is gone.
    if (!String(one.reason.code).startsWith('SQLITE_CONSTRAINT')) throw one.reason;
  }
}

async function converse(db: Store, owner: Owner, other: Owner, text: string): Promise<void> {
  const { _id: left } = await db.write(createChannel, other, [owner.wallet, randomWallet()]);
  await db.write(removeFromChannel, owner, left, owner.wallet);
  const { _id } = await db.write(createChannel, owner, [other.wallet], { name: text });
  const theirs = await db.write(sendMessage, other, _id, 'hello');
  await db.write(sendMessage, owner, _id, text);
  await db.write(addReactionTo, owner, theirs._id, '🎉');
  await db.write(editChannelInfo, owner, _id, { chatPicture: `https://a.example/${text}` });
}

async function scoresOf(db: Store, owner: Owner): Promise<number[]> {
  const records = await db.read(listScores, owner, wholePage);
  return records.map(({ score }) => score);
}

async function eventsWith(db: Store, text: string): Promise<unknown[]> {
  const rows = await rowsIn(db, 'SELECT record FROM events', {});
  return rows
    .map((row) => JSON.parse(String(Object(row).record)))
    .filter((one) => JSON.stringify(one).includes(text));
}
