import { describe, expect, test } from 'vitest';
import type { Owner } from '../../../src/core/schemas/owner.ts';
import type { Database } from '../../../src/core/storage/database.ts';
import { query, type Read, type ReadSteps } from '../../../src/core/storage/query.ts';
import {
  hideStatesOf,
  patchState,
  removeState,
  type StateWrite,
  saveState,
  saveStates,
  type WriteOptions,
} from '../../../src/features/states/commands.ts';
import { maxInlineMergeBytes } from '../../../src/features/states/merge-patch.ts';
import {
  listGameStates,
  listPlayerStates,
  readPublicStatesPage,
  readStatesPage,
  type StateFilter,
} from '../../../src/features/states/queries.ts';
import { contentId } from '../../../src/features/states/state.ts';
import { rowOverheadBytes } from '../../../src/features/storage-quota/game-storage.ts';
import { storageUse } from '../../../src/features/storage-quota/tables.ts';
import { runAll } from '../../../src/server/declarations/commands.ts';
import { addGame, addPlayer, nowAndReopened, type OpenStore, trio, wholePage } from './fixture.ts';

const readUse = query('readUse', function* (read: Read, { gameId, wallet }: Owner): ReadSteps<number> {
  return (yield* read.get(storageUse, gameId, wallet))?.bytes ?? 0;
});

function save(db: Database, owner: Owner, label: string, json: string, options: WriteOptions = {}) {
  return db.write(saveState, owner, label, json, contentId(json), undefined, options);
}

function saveAll(
  db: Database,
  owner: Owner,
  writes: readonly Omit<StateWrite, 'ipfsHash'>[],
  quota?: number,
) {
  const stored = writes.map((one) => ({ ...one, ipfsHash: contentId(one.json) }));
  return db.write(saveStates, owner, stored, quota);
}

/** The stored states, as `label version json`. */
async function kept(db: Database, owner: Owner): Promise<string[]> {
  const states = await db.read(listPlayerStates, owner, wholePage);
  return states.map(({ label, version, json }) => `${label} ${version} ${json}`).sort();
}

function conflict(label: string, version: number) {
  return { reason: 'version_conflict', code: 409, present: { label, version } };
}

/**
 * Versions of states, and what depends on them: conditional writes, patches, removal, several at once, public states.
 */
export function stateVersionsContract(open: OpenStore): void {
  describe('versions of states', () => {
    test('count the writes of each state separately, also across a reopen', async () => {
      await using fixture = await open();
      const [ada, grace] = await trio(fixture.db);
      for await (const db of nowAndReopened(fixture)) {
        for (const label of ['a', 'a', 'b']) await save(db, ada, label, '1');
        await save(db, grace, 'a', '1');
      }
      expect(await kept(fixture.db, ada)).toEqual(['a 4 1', 'b 2 1']);
      expect(await kept(fixture.db, grace)).toEqual(['a 2 1']);
    });

    test('a write for a stale version changes nothing, and returns the current one', async () => {
      await using fixture = await open();
      const { db } = fixture;
      const [ada] = await trio(db);
      await expect(save(db, ada, 'a', '1', { ifVersion: 1 })).rejects.toMatchObject(conflict('a', 0));
      await save(db, ada, 'a', '1', { ifVersion: 0 });
      await expect(save(db, ada, 'a', '2', { ifVersion: 0 })).rejects.toMatchObject(conflict('a', 1));
      await expect(save(db, ada, 'a', '2', { ifVersion: 2 })).rejects.toMatchObject(conflict('a', 1));
      const patched = db.write(patchState, ada, 'a', '2', undefined, { ifVersion: 2 });
      await expect(patched).rejects.toMatchObject(conflict('a', 1));
      await expect(db.write(removeState, ada, 'a', 0)).rejects.toMatchObject(conflict('a', 1));
      await expect(db.write(removeState, ada, 'b', 1)).rejects.toMatchObject(conflict('b', 0));
      expect(await kept(db, ada)).toEqual(['a 1 1']);
      expect(await save(db, ada, 'a', '2', { ifVersion: 1 })).toMatchObject({ version: 2 });
      expect(await kept(db, ada)).toEqual(['a 2 2']);
    });

    test('of 50 writers with the version they have read, one succeeds per round', async () => {
      await using fixture = await open();
      const otherProcess = await fixture.openOtherProcess();
      const [ada] = await trio(fixture.db);
      // Small ones, and large ones that are written separately.
      for (const [label, bytes] of [
        ['small', 10],
        ['large', 150_000],
      ] as const) {
        for (let version = 0; version < 4; version++) {
          const writes = Array.from({ length: 50 }, (_, at) =>
            save(
              at % 2 === 0 ? fixture.db : otherProcess,
              ada,
              label,
              JSON.stringify(`${at} ${'x'.repeat(bytes)}`),
              { ifVersion: version },
            ),
          );
          const settled = await Promise.allSettled(writes);
          const written = settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
          expect(written.map((one) => one.version)).toEqual([version + 1]);
          for (const one of settled) {
            if (one.status === 'rejected') expect(one.reason).toMatchObject(conflict(label, version + 1));
          }
          const [state] = await otherProcess.read(listPlayerStates, ada, wholePage, label);
          expect(state).toMatchObject({ version: version + 1, ipfsHash: written[0]?.ipfsHash });
        }
      }
    });

    test('a refused write does not affect the writes that wait for the same state', async () => {
      await using fixture = await open();
      const { db } = fixture;
      const [ada] = await trio(db);
      await save(db, ada, 'a', '1');
      const refusedAtLast = db.write(
        runAll,
        [ada],
        [
          { command: 'saveState', args: [ada, 'a', '2', contentId('2')] },
          { command: 'requireVersion', args: [ada, 'a', 9] },
        ],
      );
      const [refused, written, removed] = await Promise.allSettled([
        refusedAtLast,
        save(db, ada, 'a', '3', { ifVersion: 1 }),
        db.write(removeState, ada, 'b'),
      ]);
      expect(refused).toMatchObject({ reason: conflict('a', 2) });
      expect(written).toMatchObject({ value: { version: 2 } });
      expect(removed).toMatchObject({ value: null });
      for await (const one of nowAndReopened(fixture)) expect(await kept(one, ada)).toEqual(['a 2 3']);
    });

    test('batched writes see what those before them have written, whatever they had to read', async () => {
      await using fixture = await open();
      const { db } = fixture;
      const [ada] = await trio(db);
      for (const label of ['small', 'large', 'other']) await save(db, ada, label, '{"level":1}');
      const calls = (level: number) => [
        { command: 'patchState', args: [ada, 'small', `{"level":${level}}`] },
        { command: 'setScore', args: [ada, level] },
        {
          command: 'saveState',
          args: [ada, 'large', String(level), contentId(String(level)), undefined, { ifVersion: level - 1 }],
        },
        { command: 'patchState', args: [ada, 'other', `{"level":${level}}`] },
      ];
      await db.write(runAll, [ada], calls(2));
      await db.write(runAll, [ada], [...calls(3), ...calls(4)]);
      const all = ['large 4 4', 'other 4 {"level":4}', 'small 4 {"level":4}'];
      for await (const one of nowAndReopened(fixture)) expect(await kept(one, ada)).toEqual(all);
    });

    test('no label ever has the same version with different content', async () => {
      await using fixture = await open();
      const { db } = fixture;
      const [ada, grace] = await trio(db);
      for (let n = 0; n < 5; n++) await save(db, ada, 'a', String(n));
      await save(db, ada, 'b', '1');
      await db.write(removeState, ada, 'b');
      await db.write(removeState, ada, 'a');
      await db.write(removeState, ada, 'a');
      const reopened = await fixture.reopen();
      expect(await save(reopened, ada, 'a', '9')).toMatchObject({ version: 6 });
      expect(await save(reopened, ada, 'c', '9')).toMatchObject({ version: 6 });
      await expect(save(reopened, ada, 'a', '8', { ifVersion: 5 })).rejects.toMatchObject(conflict('a', 6));
      expect(await save(reopened, grace, 'a', '1')).toMatchObject({ version: 1 });
    });
  });

  describe('a removed state', () => {
    test('is gone, and its bytes are freed', async () => {
      await using fixture = await open();
      const { db } = fixture;
      const [ada, grace] = await trio(db);
      for (const owner of [ada, grace]) await save(db, owner, 'a', '"12345678"');
      const { json: _, ...head } = (await db.read(listPlayerStates, ada, wholePage, 'a'))[0] ?? { json: '' };
      expect(await db.write(removeState, ada, 'a', 1)).toEqual(head);
      expect(await db.write(removeState, ada, 'a')).toBeNull();
      for await (const one of nowAndReopened(fixture)) {
        expect(await kept(one, ada)).toEqual([]);
        expect(await one.read(readUse, ada)).toBe(0);
        expect(await kept(one, grace)).toEqual(['a 1 "12345678"']);
        expect(await one.read(readUse, grace)).toBe(rowOverheadBytes + 10);
      }
      const again = await save(fixture.db, ada, 'a', '1');
      expect(again._id).not.toBe(head && '_id' in head ? head._id : '');
    });

    test('is gone, too, when written in the same moment, and is new when written afterwards', async () => {
      await using fixture = await open();
      const { db } = fixture;
      const [ada] = await trio(db);
      for (const label of ['a', 'b']) await save(db, ada, label, '1');
      const write = (label: string, json: string) => ({
        command: 'saveState',
        args: [ada, label, json, contentId(json)],
      });
      const remove = (label: string) => ({ command: 'removeState', args: [ada, label] });
      await db.write(runAll, [ada], [write('a', '2'), remove('a')]);
      await db.write(runAll, [ada], [write('b', '2'), remove('b'), write('b', '3')]);
      await db.write(runAll, [ada], [write('c', '2'), remove('c')]);
      for await (const one of nowAndReopened(fixture)) {
        expect(await kept(one, ada)).toEqual(['b 3 3']);
        expect(await one.read(readUse, ada)).toBe(rowOverheadBytes + 1);
      }
    });

    test('is removed once by many concurrent removals, with writes in between', async () => {
      await using fixture = await open();
      const otherProcess = await fixture.openOtherProcess();
      const [ada] = await trio(fixture.db);
      const calls = await Promise.all(
        Array.from({ length: 60 }, async (_, at) => {
          const db = at % 2 === 0 ? fixture.db : otherProcess;
          if (at % 3 === 0) return (await save(db, ada, 'a', '1', {})).version;
          return (await db.write(removeState, ada, 'a'))?.version;
        }),
      );
      const written = calls.filter((_, at) => at % 3 === 0);
      const removed = calls.filter((version, at) => at % 3 !== 0 && version !== undefined);
      expect(new Set(written).size).toBe(written.length);
      expect(new Set(removed).size).toBe(removed.length);
      const left = (await fixture.db.read(listPlayerStates, ada, wholePage)).length;
      expect(await fixture.db.read(readUse, ada)).toBe(left * (rowOverheadBytes + 1));
    });
  });

  describe('several states at once', () => {
    test('are all written, or none', async () => {
      await using fixture = await open();
      const { db } = fixture;
      const [ada] = await trio(db);
      const first = await saveAll(db, ada, [
        { label: 'a', json: '1', ifVersion: 0 },
        { label: 'b', json: '2', public: true },
      ]);
      expect(first.map(({ label, version }) => [label, version])).toEqual([
        ['a', 1],
        ['b', 1],
      ]);
      const second = saveAll(db, ada, [
        { label: 'c', json: '3' },
        { label: 'a', json: '3', ifVersion: 1 },
        { label: 'b', json: '3', ifVersion: 2 },
      ]);
      await expect(second).rejects.toMatchObject(conflict('b', 1));
      const full = saveAll(
        db,
        ada,
        [
          { label: 'a', json: '3' },
          { label: 'd', json: '"12345678"' },
        ],
        3 * rowOverheadBytes,
      );
      await expect(full).rejects.toMatchObject({ reason: 'storage_full' });
      for await (const one of nowAndReopened(fixture)) {
        expect(await kept(one, ada)).toEqual(['a 1 1', 'b 1 2']);
        expect(await one.read(readUse, ada)).toBe(2 * (rowOverheadBytes + 1));
      }
    });

    test('are counted together: what one frees, another may use', async () => {
      await using fixture = await open();
      const { db } = fixture;
      const [ada] = await trio(db);
      const long = JSON.stringify('x'.repeat(1_000));
      await saveAll(db, ada, [
        { label: 'a', json: '1' },
        { label: 'b', json: long },
      ]);
      const swapped = [
        { label: 'a', json: long },
        { label: 'b', json: '1' },
      ];
      await saveAll(db, ada, swapped, 10);
      expect(await kept(db, ada)).toEqual([`a 2 ${long}`, 'b 2 1']);
      expect(await db.read(readUse, ada)).toBe(2 * rowOverheadBytes + long.length + 1);
    });

    test('may use as much as they free, with a new one among them', async () => {
      await using fixture = await open();
      const { db } = fixture;
      const [ada] = await trio(db);
      const text = (length: number) => JSON.stringify('x'.repeat(length - 2));
      await saveAll(db, ada, [{ label: 'a', json: text(1_000 + rowOverheadBytes) }]);
      const written = await saveAll(db, ada, [
        { label: 'a', json: text(900) },
        { label: 'b', json: text(100) },
      ]);
      expect(written.map(({ version }) => version)).toEqual([2, 1]);
      for await (const one of nowAndReopened(fixture)) {
        expect(await kept(one, ada)).toEqual([`a 2 ${text(900)}`, `b 1 ${text(100)}`]);
        expect(await one.read(readUse, ada)).toBe(2 * rowOverheadBytes + 1_000);
      }
    });

    test('are never seen partially written', async () => {
      await using fixture = await open();
      const otherProcess = await fixture.openOtherProcess();
      const [ada] = await trio(fixture.db);
      const labels = ['a', 'b', 'c'];
      const round = (json: string) => labels.map((label) => ({ label, json }));
      await saveAll(fixture.db, ada, round('0'));
      const writes = Array.from({ length: 30 }, (_, at) =>
        saveAll(at % 2 === 0 ? fixture.db : otherProcess, ada, round(String(at))),
      );
      for (let reads = 0; reads < 20; reads++) {
        const states = await otherProcess.read(listPlayerStates, ada, wholePage);
        expect(new Set(states.map(({ json }) => json)).size).toBe(1);
      }
      await Promise.all(writes);
      expect((await fixture.db.read(listPlayerStates, ada, wholePage)).map(({ version }) => version)).toEqual(
        [31, 31, 31],
      );
    });
  });

  describe('a patch', () => {
    const patch = (db: Database, owner: Owner, label: string, text: string, options: WriteOptions = {}) =>
      db.write(patchState, owner, label, text, undefined, options);

    test('is merged into the current state, or into an empty one', async () => {
      await using fixture = await open();
      const { db, clock } = fixture;
      const [ada] = await trio(db);
      await save(db, ada, 'a', '{"b":{"c":1},"d":2}');
      clock.advance(5);
      const json = '{"a":[1],"b":{"c":1,"e":3}}';
      expect(await patch(db, ada, 'a', '{"b":{"e":3},"a":[1],"d":null}', { ifVersion: 1 })).toMatchObject({
        version: 2,
        json,
        ipfsHash: contentId(json),
        updatedAt: clock.now,
      });
      await patch(db, ada, 'new', '{"a":{"b":null}}', { ifVersion: 0 });
      for await (const one of nowAndReopened(fixture)) {
        expect(await kept(one, ada)).toEqual([`a 2 ${json}`, 'new 1 {"a":{}}']);
        expect(await one.read(readUse, ada)).toBe(2 * rowOverheadBytes + json.length + 8);
      }
    });

    test('concurrently with others is not lost', async () => {
      await using fixture = await open();
      const otherProcess = await fixture.openOtherProcess();
      const [ada] = await trio(fixture.db);
      const patches = Array.from({ length: 50 }, (_, at) =>
        patch(at % 2 === 0 ? fixture.db : otherProcess, ada, 'a', `{"k${at}":${at}}`),
      );
      const versions = (await Promise.all(patches)).map((one) => one?.version ?? 0);
      expect(versions.sort((one, other) => one - other)).toEqual(patches.map((_, at) => at + 1));
      const [state] = await fixture.db.read(listPlayerStates, ada, wholePage, 'a');
      expect(Object.keys(JSON.parse(state?.json ?? '{}'))).toHaveLength(50);
    });

    test('that is too large with its state to be merged within the write is refused, without effect', async () => {
      await using fixture = await open();
      const { db } = fixture;
      const [ada] = await trio(db);
      const half = 'x'.repeat(maxInlineMergeBytes / 2);
      await save(db, ada, 'a', JSON.stringify({ half }));
      const tooLarge = { reason: 'states_changed' };
      await expect(patch(db, ada, 'a', JSON.stringify({ other: half }))).rejects.toMatchObject(tooLarge);
      expect(await patch(db, ada, 'a', '{"other":1}')).toMatchObject({ version: 2 });
      const other = JSON.stringify({ half, other: half });
      await expect(patch(db, ada, 'b', other)).rejects.toMatchObject(tooLarge);
      expect(await kept(db, ada)).toEqual([`a 2 {"half":"${half}","other":1}`]);
    });
  });

  describe('states by prefix', () => {
    test('are those whose labels begin with it, by label, in pages', async () => {
      await using fixture = await open();
      const { db } = fixture;
      const [ada, grace] = await trio(db);
      const labels = [
        'a',
        'a%',
        'a%b',
        'a_',
        'a_1',
        'ab',
        'aé',
        'a\u{10ffff}',
        'A',
        'b',
        'slot/1',
        'slot/10',
        'slot/2',
      ];
      for (const label of labels.toReversed()) await save(db, ada, label, '1');
      await save(db, grace, 'ab', '1');
      const found = async (prefix: string, page = wholePage, label?: string) =>
        (await db.read(readStatesPage, ada, page, { prefix, label })).states.map((one) => one.label);
      expect(await found('slot/')).toEqual(['slot/1', 'slot/10', 'slot/2']);
      expect(await found('slot/1')).toEqual(['slot/1', 'slot/10']);
      expect(await found('a%')).toEqual(['a%', 'a%b']);
      expect(await found('a_')).toEqual(['a_', 'a_1']);
      expect(await found('a')).toEqual(['a', 'a%', 'a%b', 'a_', 'a_1', 'ab', 'aé', 'a\u{10ffff}']);
      expect(await found('a\u{10ffff}')).toEqual(['a\u{10ffff}']);
      expect(await found('none')).toEqual([]);
      expect(await found('a', { limit: 2, skip: 3 })).toEqual(['a_', 'a_1']);
      expect(await found('slot/', wholePage, 'slot/2')).toEqual(['slot/2']);
      expect(await found('slot/', wholePage, 'ab')).toEqual([]);
    });

    test('a page of large ones is shortened, and says so', async () => {
      await using fixture = await open();
      const { db } = fixture;
      const [ada] = await trio(db);
      const large = JSON.stringify('x'.repeat(1_000_000));
      for (let n = 0; n < 6; n++) await save(db, ada, `s${n}`, large, { public: true });
      for (const read of [readStatesPage, readPublicStatesPage]) {
        const first = await db.read(read, ada, wholePage, { prefix: 's' });
        expect([first.states.map(({ label }) => label), first.isShortened]).toEqual([
          ['s0', 's1', 's2', 's3'],
          true,
        ]);
        const rest = await db.read(read, ada, { limit: 250, skip: 4 }, { prefix: 's' });
        expect([rest.states.length, rest.isShortened]).toEqual([2, false]);
      }
    });
  });

  describe('public states', () => {
    const publicOf = async (db: Database, owner: Owner, filter: StateFilter = {}, page = wholePage) =>
      (await db.read(readPublicStatesPage, owner, page, filter)).states.map(({ label }) => label);

    test('can be read by others, as long as they are public', async () => {
      await using fixture = await open();
      const { db } = fixture;
      const [ada, grace] = await trio(db);
      const elsewhere = await addPlayer(db, (await addGame(db)).id, ada.wallet);
      expect(await save(db, ada, 'private', '1')).not.toHaveProperty('public');
      expect(await save(db, ada, 'card', '2', { public: true })).toMatchObject({ public: true });
      await save(db, ada, 'avatar', '3', { public: true });
      await save(db, ada, 'unset', '4', { public: false });
      for await (const one of nowAndReopened(fixture)) {
        expect(await publicOf(one, ada)).toEqual(['avatar', 'card']);
        expect(await publicOf(one, ada, { label: 'card' })).toEqual(['card']);
        expect(await publicOf(one, ada, { label: 'card' }, { limit: 1, skip: 1 })).toEqual([]);
        expect(await publicOf(one, ada, { label: 'private' })).toEqual([]);
        expect(await publicOf(one, ada, { label: 'none' })).toEqual([]);
        expect(await publicOf(one, ada, { prefix: 'c' })).toEqual(['card']);
        expect(await publicOf(one, ada, { prefix: 'pri' })).toEqual([]);
        expect(await publicOf(one, ada, {}, { limit: 1, skip: 1 })).toEqual(['card']);
        expect(await publicOf(one, grace)).toEqual([]);
        expect(await publicOf(one, elsewhere)).toEqual([]);
        const { rows } = await one.read(listGameStates, { gameId: ada.gameId }, wholePage);
        expect(rows.map(({ label, public: isPublic }) => [label, isPublic])).toEqual([
          ['avatar', true],
          ['card', true],
          ['private', undefined],
          ['unset', undefined],
        ]);
      }
    });

    test('stay public after a write that does not say, and become private with one that does', async () => {
      await using fixture = await open();
      const { db } = fixture;
      const [ada] = await trio(db);
      await save(db, ada, 'a', '1', { public: true });
      await save(db, ada, 'a', '2');
      await saveAll(db, ada, [{ label: 'a', json: '3' }]);
      expect(await db.write(patchState, ada, 'a', '4')).toMatchObject({ public: true });
      expect(await publicOf(db, ada)).toEqual(['a']);
      await db.write(patchState, ada, 'a', '5', undefined, { public: false });
      expect(await publicOf(db, ada)).toEqual([]);
      await save(db, ada, 'a', '6', { public: true });
      await db.write(removeState, ada, 'a');
      await save(db, ada, 'a', '7');
      expect(await publicOf(db, ada)).toEqual([]);
    });

    test('of a player can all be hidden', async () => {
      await using fixture = await open();
      const { db } = fixture;
      const [ada, grace] = await trio(db);
      const elsewhere = await addPlayer(db, (await addGame(db)).id, ada.wallet);
      for (const owner of [ada, grace, elsewhere]) await save(db, owner, 'a', '1', { public: true });
      expect(await db.write(hideStatesOf, ada.wallet)).toBe(false);
      expect(await publicOf(db, ada)).toEqual([]);
      expect(await publicOf(db, elsewhere)).toEqual([]);
      expect(await publicOf(db, grace)).toEqual(['a']);
    });
  });
}
