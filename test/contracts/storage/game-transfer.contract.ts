import { describe, expect, test } from 'vitest';
import { RowExistsError } from '../../../src/core/storage/row-exists.ts';
import { changeGame } from '../../../src/features/administration/commands.ts';
import { beginErasing } from '../../../src/features/administration/erasing-commands.ts';
import { eraseGameData } from '../../../src/features/administration/game-eraser.ts';
import {
  exportGame,
  type GameRecord,
  measureGame,
} from '../../../src/features/administration/game-export.ts';
import { importGame } from '../../../src/features/administration/game-import.ts';
import {
  completeErasingPlayer,
  erasePlayerData,
} from '../../../src/features/administration/player-eraser.ts';
import { addEvent, advanceEvent } from '../../../src/features/calendar/commands.ts';
import { changeConfig, restoreConfig } from '../../../src/features/game-config/commands.ts';
import { setFavorite } from '../../../src/features/games/library-commands.ts';
import { findGameDetails } from '../../../src/features/games/library-queries.ts';
import { addNews, moveNewsMark } from '../../../src/features/news/commands.ts';
import { recordPlays } from '../../../src/features/playtime/commands.ts';
import { addRelease } from '../../../src/features/releases/commands.ts';
import { setScore } from '../../../src/features/scores/commands.ts';
import { tables } from '../../../src/server/declarations/tables.ts';
import { addGame, addPlayer, type DatabaseUnderTest, hour, type OpenStore, sealedSecret } from './fixture.ts';

/** The tables of the launcher's home and of live-ops whose rows go with a game. */
const transferred = [
  ...['game_details', 'game_favorites', 'playtime', 'news', 'news_marks', 'releases', 'game_configs'],
  ...['config_versions', 'calendar_events'],
];

async function exported({ db }: DatabaseUnderTest, gameId: string): Promise<GameRecord[]> {
  const records: GameRecord[] = [];
  await db.read(exportGame, tables, gameId, null, (record) => void records.push(record));
  return records.toSorted((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1));
}

/** Fills what the launcher's home and live-ops store of a game and of a player. */
async function fill({ db, clock }: DatabaseUnderTest, gameId: string): Promise<void> {
  const player = await addPlayer(db, gameId);
  const { wallet } = player;
  const token = { chainId: 1, contract: `0x${'ab'.repeat(20)}`, operator: 'gte' as const, amount: '1' };
  await db.write(changeGame, gameId, {
    ...{ description: 'Race.', tags: ['space'], ageRating: 'PEGI 7' },
    media: [{ kind: 'image', url: '/a.png', alt: 'A ship' }],
    policies: {
      access: { type: 'user-owns-tokens', standard: 'erc721', ...token },
      minVersion: { version: '1.4', url: 'https://orbit.example/get', message: 'Update' },
    },
  });
  await db.write(setFavorite, player, true);
  const id = crypto.randomUUID();
  for (const [upMs, open] of [
    [0, gameId],
    [90_000, null],
  ] as const)
    await db.write(recordPlays, { id, upMs }, [{ wallet, gameId: open, agoMs: 0 }]);
  const item = await db.write(addNews, gameId, { title: 'Now', body: '*Text*', pinned: true });
  await db.write(addNews, gameId, {
    title: 'Later',
    publishAt: clock.now + hour,
    expiresAt: clock.now + 2 * hour,
  });
  await db.write(moveNewsMark, wallet, gameId, item.newsId);
  for (const version of ['1.4', '1.3'])
    await db.write(addRelease, gameId, { version, notes: 'Notes', url: '/get', required: true });
  const author = { actor: 'Ada', comment: 'Double XP' };
  const rules = [{ percent: 10, value: { deep: [1] } }];
  await db.write(changeConfig, gameId, [{ key: 'xp', value: 2, public: false, rules }], 0, author);
  await db.write(changeConfig, gameId, [{ key: 'xp', removed: true }], 1, author);
  await db.write(restoreConfig, gameId, 1, 2, author);
  const times = { startsAt: clock.now + hour, endsAt: null, durationMs: hour, cron: null, timeZone: 'UTC' };
  await db.write(addEvent, gameId, { key: 'fair', title: 'Fair', data: { prize: 1 }, ...times });
}

/** The contract of what goes with a game when it is exported and imported. */
export function gameTransferContract(open: OpenStore): void {
  describe("what a game's live-ops and its players' home have stored", () => {
    test('is the same when it was exported, deleted, imported and exported again', async () => {
      await using fixture = await open.empty();
      const { db } = fixture;
      const { id } = await addGame(db);
      await fill(fixture, id);
      const before = await exported(fixture, id);
      expect([...new Set(before.map(({ type }) => type))]).toEqual(expect.arrayContaining(transferred));
      await eraseGameData(db, tables, id);
      const left = await exported(fixture, id);
      expect(left.map(({ type }) => type).filter((type) => transferred.includes(type))).toEqual([]);
      const importing = await (fixture.openInProcess?.() ?? db);
      const options = { tables, slug: undefined, newSecret: 'gsk_new', seal: sealedSecret };
      await importing.write(importGame, () => recordsInOrder(before), { ...options, allowLauncher: false });
      await db.write(advanceEvent, id, 'fair'); // its times are computed again when it is looked at
      expect(withoutSeqs(await exported(fixture, id))).toEqual(withoutSeqs(before));
      expect(await db.read(findGameDetails, id)).toMatchObject({ description: 'Race.', version: '1.3' });
    });
  });

  describe('a file that has a record twice', () => {
    test.each([
      ['together', 0],
      ['far from each other', 5_001],
    ])('%s is refused, with the type of the record, and nothing is imported', async (_, between) => {
      await using fixture = await open.empty();
      const { db } = fixture;
      const { id } = await addGame(db);
      await fill(fixture, id);
      const records = recordsInOrder(await exported(fixture, id));
      await eraseGameData(db, tables, id);
      const left = await exported(fixture, id);
      const nonces = Array.from({ length: between }, (_, at) => ({
        type: 'request_nonces',
        row: { gameId: id, nonce: `nonce ${at}`, seenAt: 1 },
      }));
      const importing = await (fixture.openInProcess?.() ?? db);
      const options = { tables, slug: undefined, newSecret: 'gsk_new', seal: sealedSecret };
      for (const type of ['streams', 'news']) {
        const again = records.filter((one) => one.type === type).slice(0, 1);
        const file = [...records, ...nonces, ...again];
        await expect(
          importing.write(importGame, () => file, { ...options, allowLauncher: false }),
        ).rejects.toMatchObject({ constructor: RowExistsError, table: type });
      }
      expect(await exported(fixture, id)).toEqual(left);
    });
  });

  describe('a player who is being erased', () => {
    test('is not in an export, which no other server would complete; other players are', async () => {
      await using fixture = await open.empty();
      const { db } = fixture;
      const { id } = await addGame(db);
      const [erased, other] = [await addPlayer(db, id), await addPlayer(db, id)];
      for (const player of [erased, other]) await db.write(setScore, player, 7);
      await erasePlayerData(db, tables, erased.wallet); // which is completed some seconds later
      const text = JSON.stringify(await exported(fixture, id));
      expect([text.includes(erased.wallet), text.includes(other.wallet)]).toEqual([false, true]);
    });

    test('is not exported partly, which no server would import, while much of it is left', async () => {
      await using fixture = await open.empty();
      const { db } = fixture;
      const [{ id }, { id: otherId }] = [await addGame(db), await addGame(db)];
      const erased = await addPlayer(db, id);
      await db.write(setScore, erased, 7);
      await db.write(beginErasing, erased.wallet); // then the process is killed
      const refusal = { reason: 'player_banned', message: expect.stringContaining('is being erased') };
      await expect(exported(fixture, id)).rejects.toMatchObject(refusal);
      await expect(db.read(measureGame, tables, id)).rejects.toMatchObject(refusal);
      expect(await exported(fixture, otherId)).not.toEqual([]);
      await completeErasingPlayer(db, tables, erased.wallet);
      expect(JSON.stringify(await exported(fixture, id))).not.toContain(erased.wallet);
    });
  });
}

/** The game itself comes first in a file. */
function recordsInOrder(records: readonly GameRecord[]): GameRecord[] {
  return records.toSorted((one, other) => Number(other.type === 'games') - Number(one.type === 'games'));
}

/** Without where the game's streams continue, which is later after every import. */
function withoutSeqs(records: readonly GameRecord[]): GameRecord[] {
  return records.map((record) =>
    record.type === 'streams' ? { ...record, row: { ...record.row, seq: 0 } } : record,
  );
}
