import { describe, expect, test } from 'vitest';
import type { Store } from '../../../src/core/storage/store.ts';
import { recordActivity } from '../../../src/features/activities/commands.ts';
import { beginAudit, changeGame } from '../../../src/features/administration/commands.ts';
import { nextErasure } from '../../../src/features/administration/erasure-schedule.ts';
import { sweepErased } from '../../../src/features/administration/erasure-sweeps.ts';
import { eraseGameData } from '../../../src/features/administration/game-eraser.ts';
import {
  exportGame,
  type GameRecord,
  measureGame,
} from '../../../src/features/administration/game-export.ts';
import { importGame } from '../../../src/features/administration/game-import.ts';
import { findGame, gamesBeingDeleted } from '../../../src/features/games/queries.ts';
import { createChannel } from '../../../src/features/messages/channel-commands.ts';
import { sendMessage } from '../../../src/features/messages/message-commands.ts';
import { notifyPlayer } from '../../../src/features/notifications/commands.ts';
import { setScore } from '../../../src/features/scores/commands.ts';
import { listScores } from '../../../src/features/scores/queries.ts';
import { saveState } from '../../../src/features/states/commands.ts';
import { tables } from '../../../src/server/declarations/tables.ts';
import { rowsIn } from '../../support/rows-in.ts';
import { interposed, type OpenStore, sealedSecret, tablesWith, trio, wholePage } from './fixture.ts';

/** When a deletion whose process was killed is resumed. */
const stalledMs = 10_000;

/** The contract of deleting a game while processes are killed or late. */
export function gameErasingContract(open: OpenStore): void {
  describe('deleting a game', () => {
    test('is resumed after the process was killed, after any write, by a process that starts later', async () => {
      await using fixture = await open.empty();
      for (let killedAfter = 1; ; killedAfter += 5) {
        const { gameId } = await filledGame(fixture.db);
        await fixture.db.write(beginAudit, 'cli', 'deleteGame', { gameId, confirm: 'slug' });
        const killed = interposed(fixture.db, (writes) => {
          if (writes === killedAfter) throw new Error('killed');
        });
        const isOver = await eraseGameData(killed, tables, gameId, 0).then(
          () => true,
          (error: Error) => {
            if (error.message !== 'killed') throw error;
            return false;
          },
        );
        if (isOver) break;
        const db = await fixture.reopen();
        await sweepErased(db, tables);
        if ((await db.read(findGame, gameId)) === null) continue; // killed after the last write
        expect(await db.read(gamesBeingDeleted)).toEqual(new Set([gameId]));
        fixture.clock.advance(stalledMs);
        await sweepErased(db, tables);
        expect([killedAfter, await tablesWith(db, gameId)]).toEqual([killedAfter, ['audit_log']]);
        expect(await db.read(nextErasure)).toBeNull();
      }
      const unknown = await rowsIn(fixture.db, 'SELECT id FROM audit_log WHERE outcome IS NULL', {});
      expect(unknown).toEqual([]);
    });

    test('cannot be undone or changed from its first step on, and the game cannot be exported', async () => {
      await using fixture = await open.empty();
      const { db } = fixture;
      const { gameId } = await filledGame(db);
      const killed = interposed(db, () => {
        throw new Error('killed');
      });
      await expect(eraseGameData(killed, tables, gameId, 0)).rejects.toThrow('killed');
      const refusal = { reason: 'game_unknown', message: 'This game is being deleted' };
      await expect(db.write(changeGame, gameId, { listing: 'listed' })).rejects.toMatchObject(refusal);
      await expect(db.read(measureGame, tables, gameId)).rejects.toMatchObject(refusal);
      await expect(db.read(exportGame, tables, gameId, null, () => {})).rejects.toMatchObject(refusal);
      expect((await db.read(findGame, gameId))?.listing).toBe('archived');
    });

    test('a process that is late deletes nothing of the game once it is imported again', async () => {
      await using fixture = await open.empty();
      const { db, clock } = fixture;
      const { gameId, ada } = await filledGame(db);
      const records: GameRecord[] = [];
      await db.read(exportGame, tables, gameId, null, (record) => void records.push(record));
      const importing = (await fixture.openInProcess?.()) ?? db;
      const options = { tables, slug: undefined, allowLauncher: false, newSecret: 'secret' };
      const paused = interposed(await fixture.openOtherProcess(), async (writes) => {
        if (writes !== 6) return;
        clock.advance(stalledMs);
        await sweepErased(db, tables);
        await importing.write(importGame, () => records, { ...options, seal: () => sealedSecret() });
      });
      await eraseGameData(paused, tables, gameId, 0);
      const scores = await db.read(listScores, ada, wholePage);
      expect(scores.map(({ score }) => score)).toEqual([5]);
      if (importing !== db) await importing.close();
    });

    test('is resumed by several processes at once', async () => {
      await using fixture = await open.empty();
      const [one, other] = [await filledGame(fixture.db), await filledGame(fixture.db)];
      const second = await fixture.openOtherProcess();
      for (const { gameId } of [one, other]) {
        const killed = interposed(fixture.db, (writes) => {
          if (writes === 4) throw new Error('killed');
        });
        await expect(eraseGameData(killed, tables, gameId, 0)).rejects.toThrow('killed');
      }
      fixture.clock.advance(stalledMs);
      await Promise.all([fixture.db, second, fixture.db, second].map((db) => sweepErased(db, tables)));
      for (const { gameId } of [one, other]) expect(await tablesWith(fixture.db, gameId)).toEqual([]);
    });
  });
}

/** A game with players and their data. */
async function filledGame(db: Store) {
  const [ada, bob] = await trio(db);
  await db.write(setScore, ada, 5, 'nonce');
  await db.write(saveState, ada, 'label', '{}', 'hash');
  await db.write(recordActivity, ada, { label: 'won', eventId: 'event' });
  await db.write(notifyPlayer, bob, { message: 'Hello', type: 'success' });
  const { _id } = await db.write(createChannel, ada, [bob.wallet]);
  await db.write(sendMessage, ada, _id, 'Good evening');
  return { gameId: ada.gameId, ada };
}
