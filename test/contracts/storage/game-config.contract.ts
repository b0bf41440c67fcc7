import { describe, expect, test } from 'vitest';
import type { Database } from '../../../src/core/storage/database.ts';
import { eraseGameData } from '../../../src/features/administration/game-eraser.ts';
import { changeConfig, keptVersions, restoreConfig } from '../../../src/features/game-config/commands.ts';
import type { ConfigChange } from '../../../src/features/game-config/config-entry.ts';
import { findConfig, findConfigVersion, listVersions } from '../../../src/features/game-config/queries.ts';
import { replaceRules, triggerRules } from '../../../src/features/rules/commands.ts';
import { ruleList } from '../../../src/features/rules/rule.ts';
import { tables } from '../../../src/server/declarations/tables.ts';
import { addGame, addPlayer, nowAndReopened, type OpenStore, wholePage } from './fixture.ts';

const ada = { actor: 'Ada', comment: 'Double XP' };
const bob = { actor: 'Bob', comment: '' };

export function gameConfigContract(open: OpenStore): void {
  describe('config', () => {
    test('each change makes a version with its keys, which other processes read at once', async () => {
      await using fixture = await open();
      const { db } = fixture;
      const { id } = await addGame(db);
      const other = await fixture.openOtherProcess();
      for (const one of [db, other]) {
        expect(await one.read(findConfig, id)).toEqual({ version: 0, at: 0, entries: [] });
      }
      const rules = [{ percent: 10, value: [1, { deep: null }] }];
      const set = (changes: ConfigChange[], ifVersion: number) =>
        db.write(changeConfig, id, changes, ifVersion, ada);
      expect(
        await set(
          [
            { key: 'xp', value: 2 },
            { key: 'drop.rate', value: 0.5, public: false, rules },
          ],
          0,
        ),
      ).toMatchObject({ version: 1, keys: ['drop.rate', 'xp'] });
      const first = [
        { key: 'drop.rate', value: 0.5, public: false, rules },
        { key: 'xp', value: 2, public: true, rules: [] },
      ];
      expect(await other.read(findConfig, id)).toMatchObject({ version: 1, entries: first });
      expect(await set([{ key: 'drop.rate', value: 0.25 }], 1)).toMatchObject({ keys: ['drop.rate'] });
      expect(await set([{ key: 'xp', removed: true }], 2)).toMatchObject({ version: 3, keys: ['xp'] });
      const current = [{ key: 'drop.rate', value: 0.25, public: false, rules }];
      expect(await other.read(findConfig, id)).toMatchObject({ version: 3, entries: current });
      expect(await db.read(findConfigVersion, id, 1)).toMatchObject({ ...ada, entries: first });
      for await (const one of nowAndReopened(fixture)) {
        const { total, rows } = await one.read(listVersions, id, wholePage);
        expect([total, rows.map(({ version, keys }) => [version, keys])]).toEqual([
          3,
          [
            [3, ['xp']],
            [2, ['drop.rate']],
            [1, ['drop.rate', 'xp']],
          ],
        ]);
        expect(await one.read(findConfig, id)).toMatchObject({ version: 3, entries: current });
      }
    });

    test('of two editors at once one is refused with the current version, and a refused change changes nothing', async () => {
      await using fixture = await open();
      const { db } = fixture;
      const { id } = await addGame(db);
      const outcomes = await Promise.allSettled([
        db.write(changeConfig, id, [{ key: 'xp', value: 2 }], 0, ada),
        db.write(changeConfig, id, [{ key: 'xp', value: 3 }], 0, bob),
      ]);
      expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
      expect(outcomes.find(({ status }) => status === 'rejected')).toMatchObject({
        reason: { reason: 'config_changed', present: { version: 1 } },
      });
      const before = await db.read(findConfig, id);
      const long = 'x'.repeat(64 * 1024);
      const many = Array.from({ length: 500 }, (_, at) => ({ key: `key${at}`, value: at }));
      for (const [changes, reason] of [
        [[{ key: 'long', value: long }], 'config_too_large'],
        [many, 'config_too_large'],
        [
          [
            { key: 'xp', value: 9 },
            { key: 'none', removed: true },
          ],
          'input_invalid',
        ],
        [
          [
            { key: 'xp', value: 9 },
            { key: 'new', public: false },
          ],
          'input_invalid',
        ],
      ] as const) {
        await expect(db.write(changeConfig, id, changes, 1, ada)).rejects.toMatchObject({ reason });
      }
      await expect(db.write(restoreConfig, id, 7, 1, ada)).rejects.toMatchObject({
        reason: 'config_version_unknown',
      });
      await expect(db.write(restoreConfig, id, 1, 0, ada)).rejects.toMatchObject({
        reason: 'config_changed',
      });
      const nowhere = '00000000-0000-7000-8000-000000000000';
      const lost = db.write(changeConfig, nowhere, [{ key: 'xp', value: 1 }], 0, ada);
      await expect(lost).rejects.toMatchObject({ reason: 'game_unknown' });
      expect(await db.read(findConfig, nowhere)).toMatchObject({ version: 0 });
      expect(await db.read(findConfig, id)).toEqual(before);
      expect(await db.read(listVersions, id, wholePage)).toMatchObject({ total: 1 });
      // The values that it has already.
      const { entries } = before;
      const same = [{ key: 'xp', value: entries[0]?.value }];
      expect(await db.write(changeConfig, id, same, 1, bob)).toMatchObject({ version: 1, keys: [] });
      expect(await db.read(listVersions, id, wholePage)).toMatchObject({ total: 1 });
    });

    test('rolling back is a new version with the old content', async () => {
      await using fixture = await open();
      const { db } = fixture;
      const { id } = await addGame(db);
      await db.write(
        changeConfig,
        id,
        [
          { key: 'xp', value: 1 },
          { key: 'map', value: 'old' },
        ],
        0,
        ada,
      );
      const { entries } = await db.read(findConfig, id);
      const changes = [
        { key: 'xp', removed: true },
        { key: 'night', value: true },
      ] as const;
      await db.write(changeConfig, id, changes, 1, ada);
      const comment = 'Night was too dark';
      const back = await db.write(restoreConfig, id, 1, 2, { actor: 'Bob', comment });
      expect(back).toMatchObject({ version: 3, keys: ['night', 'xp'] });
      expect(await db.read(findConfig, id)).toMatchObject({ version: 3, entries });
      const { rows } = await db.read(listVersions, id, wholePage);
      expect(rows[0]).toMatchObject({ version: 3, actor: 'Bob', comment, restored: 1 });
    });

    test('the last hundred versions are kept, or fewer when they are long', async () => {
      await using fixture = await open();
      const { db } = fixture;
      const { id } = await addGame(db);
      const lengthen = 3;
      for (let version = 0; version < keptVersions + lengthen; version++) {
        await db.write(changeConfig, id, [{ key: 'xp', value: version }], version, ada);
      }
      const { total, rows } = await db.read(listVersions, id, { limit: 250, skip: 0 });
      expect([total, rows[0]?.version, rows.at(-1)?.version]).toEqual([100, 103, 4]);
      expect(await db.read(findConfigVersion, id, 3)).toBeNull();
      const long = 'x'.repeat(60 * 1024);
      for (let version = 103; version < 123; version++) {
        await db.write(changeConfig, id, [{ key: 'long', value: `${long}${version}` }], version, ada);
      }
      expect((await db.read(listVersions, id, wholePage)).total).toBe(17);
    });

    test('rules of the game compare the value that the key has for the player', async () => {
      await using fixture = await open();
      const { db } = fixture;
      const game = await addGame(db);
      const [one, other] = [await addPlayer(db, game.id), await addPlayer(db, game.id)];
      const rules = [{ wallets: [one.wallet], value: 'night' }];
      await db.write(changeConfig, game.id, [{ key: 'mode', value: 'day', rules }], 0, ada);
      const condition = { type: 'config-condition', key: 'mode', operator: 'eq', value: 'night' };
      await db.write(
        replaceRules,
        game.id,
        ruleList.parse([
          { trigger: 'win', actions: [{ type: 'Notify', message: 'hi', conditions: [condition] }] },
        ]),
      );
      const triggered = async (wallet: string) =>
        (await db.write(triggerRules, { gameId: game.id, wallet }, { trigger: 'win' })).actions;
      expect(await triggered(one.wallet)).toEqual(['Notify']);
      expect(await triggered(other.wallet)).toEqual([]);
      await db.write(changeConfig, game.id, [{ key: 'mode', value: 'night', rules: [] }], 1, ada);
      expect(await triggered(other.wallet)).toEqual(['Notify']);
    });

    test('a deleted game leaves neither its config nor its versions', async () => {
      await using fixture = await open();
      const { db } = fixture;
      const { id } = await addGame(db);
      await db.write(changeConfig, id, [{ key: 'xp', value: 1 }], 0, ada);
      await eraseGameData(db, tables, id);
      expect(await rowsOf(db, id)).toEqual([0, 0]);
    });
  });
}

async function rowsOf(db: Database, id: string): Promise<number[]> {
  const { total } = await db.read(listVersions, id, wholePage);
  return [(await db.read(findConfig, id)).version, total];
}
