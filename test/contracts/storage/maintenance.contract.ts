import { describe, expect, test } from 'vitest';
import {
  announceMaintenance,
  finishMaintenance,
  putMaintenance,
} from '../../../src/features/maintenance/commands.ts';
import { listMaintenanceRows } from '../../../src/features/maintenance/queries.ts';
import { addWebhook } from '../../../src/features/webhooks/commands.ts';
import { readDeliveries } from '../../../src/features/webhooks/queries.ts';
import { addGame, hour, type OpenStore, sharedStore, wholePage } from './fixture.ts';

/** Commands of maintenance: each announcement is due once, in every process, and refusals change nothing. */
export function maintenanceContract(open: OpenStore): void {
  describe('maintenance', () => {
    const own = sharedStore(open.empty); // maintenance of all games concerns every test

    async function scene() {
      const { db, clock } = await own();
      const { id: gameId } = await addGame(db);
      await db.write(addWebhook, {
        gameId,
        url: 'https://a.example/',
        filter: 'all',
        sealedSecret: 'sealed',
      });
      const told = async () => (await db.read(readDeliveries, { gameId }, wholePage)).total;
      return { db, clock, gameId, told };
    }

    test('is announced when it was set, when it begins and when it is over, each time once', async () => {
      for (const isOfAll of [false, true]) {
        const { db, clock, gameId, told } = await scene();
        const scope = isOfAll ? 'all' : gameId;
        const record = {
          gameId: isOfAll ? null : gameId,
          from: clock.now + hour,
          until: clock.now + 2 * hour,
          message: 'Moving',
        };
        expect(await db.write(putMaintenance, record)).toEqual(record);
        const seen: unknown[] = [];
        for (let step = 0; step < 3; step++) {
          const twice = [db.write(announceMaintenance, scope), db.write(announceMaintenance, scope)];
          seen.push(...(await Promise.all(twice)).filter((one) => one !== null));
          expect([step, seen.length, await told()]).toEqual([step, step + 1, step + 1]);
          clock.advance(hour);
        }
        expect(seen).toEqual([record, record, record]);
        expect((await db.read(listMaintenanceRows)).map((row) => row.scope)).not.toContain(scope);
      }
    });

    test('can be changed, and ends early', async () => {
      const { db, clock, gameId } = await scene();
      const from = clock.now;
      const record = { gameId, from, until: from + hour, message: '' };
      await db.write(putMaintenance, record);
      const longer = { ...record, until: from + 2 * hour, message: 'Longer' };
      await db.write(putMaintenance, longer);
      expect(await db.write(announceMaintenance, gameId)).toEqual(longer);
      clock.advance(hour / 2);
      await db.write(finishMaintenance, gameId);
      expect(await db.write(announceMaintenance, gameId)).toEqual({ ...longer, until: from + hour / 2 });
      await expect(db.write(finishMaintenance, gameId)).rejects.toMatchObject({
        reason: 'maintenance_unknown',
      });
      expect(await db.write(announceMaintenance, gameId)).toBeNull();
    });

    test('is refused for an unknown game, and when it would be over', async () => {
      const { db, clock, gameId } = await scene();
      const record = { gameId, from: clock.now, until: clock.now + hour, message: '' };
      const unknown = { ...record, gameId: '019ab6c2-0000-7000-8000-000000000000' };
      const before = await db.read(listMaintenanceRows);
      await expect(db.write(putMaintenance, unknown)).rejects.toMatchObject({ reason: 'game_unknown' });
      for (const times of [{ from: 0, until: hour }, { until: record.from }]) {
        const refused = db.write(putMaintenance, { ...record, ...times });
        await expect(refused).rejects.toMatchObject({ reason: 'input_invalid' });
      }
      await expect(db.write(finishMaintenance, null)).rejects.toMatchObject({
        reason: 'maintenance_unknown',
      });
      expect(await db.read(listMaintenanceRows)).toEqual(before);
    });
  });
}
