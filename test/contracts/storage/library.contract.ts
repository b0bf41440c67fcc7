import { describe, expect, test } from 'vitest';
import { newGuestAddress } from '../../../src/core/schemas/fields.ts';
import { command, type Steps } from '../../../src/core/storage/command.ts';
import type { Store } from '../../../src/core/storage/store.ts';
import { changeGame } from '../../../src/features/administration/commands.ts';
import { eraseGameData } from '../../../src/features/administration/game-eraser.ts';
import { exportGame, type GameRecord } from '../../../src/features/administration/game-export.ts';
import { importGame } from '../../../src/features/administration/game-import.ts';
import { erasePlayerData } from '../../../src/features/administration/player-eraser.ts';
import { maxFavorites, setFavorite, setGameDetails } from '../../../src/features/games/library-commands.ts';
import { findGameDetails, listFavorites } from '../../../src/features/games/library-queries.ts';
import { gameFavorites } from '../../../src/features/games/tables.ts';
import { addGuest } from '../../../src/features/guests/commands.ts';
import { accessKeyOf } from '../../../src/features/sessions/checked-access.ts';
import { renewSession, startSession } from '../../../src/features/sessions/commands.ts';
import { liveSessions } from '../../../src/features/sessions/queries.ts';
import { tables } from '../../../src/server/declarations/tables.ts';
import { randomWallet } from '../../support/server.ts';
import { addGame, addPlayer, hour, nowAndReopened, type OpenStore, sealedSecret } from './fixture.ts';

const nothing = { description: '', tags: [], media: [], ageRating: '', version: '' };
const page = {
  description: 'Race.\nWin.',
  tags: ['racing', 'space'],
  media: [{ kind: 'image' as const, url: '/demo-game/a.png', alt: 'A ship' }],
  ageRating: 'PEGI 7',
};

/** All favorites but one; the games have been deleted. */
const fillFavorites = command(
  'fillFavorites',
  // biome-ignore lint/correctness/useYield: rows with new ids need no lock
  function* (tx, wallet: string): Steps<void> {
    for (let at = 1; at < maxFavorites; at++)
      tx.insert(gameFavorites, { wallet, gameId: tx.newId(), createdAt: tx.now });
  },
);

/** What the page of a game shows, and players' favorite games. */
export function libraryContract(open: OpenStore): void {
  describe('the page of a game', () => {
    test('is empty at first, keeps omitted fields, and survives a reopen', async () => {
      await using fixture = await open();
      const { db } = fixture;
      const game = await addGame(db);
      expect(await db.read(findGameDetails, game.id)).toEqual(nothing);
      await db.write(changeGame, game.id, page);
      await db.write(setGameDetails, game.id, { ageRating: 'PEGI 12' });
      await db.write(changeGame, game.id, { name: 'Renamed', tags: [] });
      for await (const one of nowAndReopened(fixture)) {
        expect(await one.read(findGameDetails, game.id)).toEqual({
          ...nothing,
          ...page,
          ageRating: 'PEGI 12',
          tags: [],
        });
      }
      const created = await addGame(fixture.db, { name: 'Created with it', ...page });
      expect(await fixture.db.read(findGameDetails, created.id)).toEqual({ ...page, version: '' });
    });

    test('goes with its game when that is exported and imported, and when it is deleted', async () => {
      await using fixture = await open.empty();
      const { db } = fixture;
      const { id } = await addGame(db, { slug: 'moved' });
      await db.write(changeGame, id, page);
      const ada = await addPlayer(db, id);
      await db.write(setFavorite, ada, true);
      const records: GameRecord[] = [];
      await db.read(exportGame, tables, id, null, (record) => records.push(record));
      await eraseGameData(db, tables, id);
      expect(await db.read(findGameDetails, id)).toEqual(nothing);
      expect(await db.read(listFavorites, ada.wallet)).toEqual([]);

      const importing = await (fixture.openInProcess?.() ?? db);
      const options = {
        tables,
        slug: undefined,
        newSecret: 'gsk_new',
        seal: sealedSecret,
        allowLauncher: false,
      };
      await importing.write(importGame, () => records, options);
      expect(await db.read(findGameDetails, id)).toEqual({ ...page, version: '' });
      expect(await favoritesOf(db, ada.wallet)).toEqual([id]);
    });
  });

  describe('a game that requires tokens', () => {
    const access = {
      type: 'user-owns-tokens' as const,
      standard: 'erc721' as const,
      chainId: 1,
      contract: `0x${'ab'.repeat(20)}`,
      operator: 'gte' as const,
      amount: '1',
    };

    test('opens no session for a player who was not checked against its present requirement', async () => {
      await using fixture = await open();
      const { db } = fixture;
      const game = await addGame(db, { policies: { access } });
      const owner = { gameId: game.id, wallet: randomWallet() };
      const checked = accessKeyOf(game);
      for (const openedBy of ['wallet', 'launcher', 'device'] as const) {
        const unchecked = db.write(startSession, owner, hour, openedBy);
        await expect(unchecked).rejects.toMatchObject({ reason: 'access_unknown' });
      }
      const guest = { address: newGuestAddress(), idleMs: hour };
      await expect(db.write(addGuest, game.id, guest, device(), hour)).rejects.toMatchObject({
        reason: 'access_denied',
        missing: [{ amount: '1', owned: '0' }],
      });
      expect(await db.read(liveSessions, owner.wallet)).toEqual([]);
      for (const openedBy of ['administrator', 'game-server', 'vouching'] as const)
        await db.write(startSession, owner, hour, openedBy);
      const { session } = await db.write(startSession, owner, hour, 'wallet', checked);
      const lifetime = { lifetimeMs: 2 * hour, renewalMs: 2 * hour };
      await db.write(renewSession, session.id, lifetime, checked);

      await db.write(changeGame, game.id, { policies: { access: { ...access, amount: '2' } } });
      const stale = { reason: 'access_unknown', retryAfterSeconds: 5 };
      await expect(db.write(startSession, owner, hour, 'wallet', checked)).rejects.toMatchObject(stale);
      await expect(db.write(renewSession, session.id, lifetime, checked)).rejects.toMatchObject(stale);
      await db.write(changeGame, game.id, { policies: { access: null } });
      await db.write(startSession, owner, hour, 'wallet');
    });
  });

  describe('favorite games', () => {
    test('are listed latest first, once each, and end when the mark is removed', async () => {
      await using fixture = await open();
      const { db, clock } = fixture;
      const [one, two, three] = [await addGame(db), await addGame(db), await addGame(db)];
      const { wallet } = await addPlayer(db, one.id);
      for (const { id: gameId } of [one, two, three, one]) {
        clock.advance(1);
        await db.write(setFavorite, { gameId, wallet }, true);
      }
      for await (const store of nowAndReopened(fixture)) {
        expect(await favoritesOf(store, wallet)).toEqual([three.id, two.id, one.id]);
      }
      expect(await favoritesOf(fixture.db, randomWallet())).toEqual([]);
      for (let time = 0; time < 2; time++)
        await fixture.db.write(setFavorite, { gameId: two.id, wallet }, false);
      expect(await favoritesOf(fixture.db, wallet)).toEqual([three.id, one.id]);
    });

    test('an archived game cannot be added; one that is archived later is left out until it is listed again', async () => {
      await using fixture = await open();
      const { db } = fixture;
      const { id: gameId } = await addGame(db);
      const wallet = randomWallet();
      await db.write(setFavorite, { gameId, wallet }, true);
      await db.write(changeGame, gameId, { listing: 'archived' });
      expect(await favoritesOf(db, wallet)).toEqual([]);
      const archived = { gameId, wallet: randomWallet() };
      await expect(db.write(setFavorite, archived, true)).rejects.toMatchObject({ reason: 'game_archived' });
      const unknown = { gameId: crypto.randomUUID(), wallet };
      await expect(db.write(setFavorite, unknown, true)).rejects.toMatchObject({ reason: 'game_unknown' });
      await db.write(changeGame, gameId, { listing: 'unlisted' });
      expect(await favoritesOf(db, wallet)).toEqual([gameId]);
      expect(await favoritesOf(db, archived.wallet)).toEqual([]);
    });

    test(`are at most ${maxFavorites}: one more is refused, and those there are stay`, async () => {
      await using fixture = await open();
      const { db } = fixture;
      const games = [await addGame(db), await addGame(db), await addGame(db)].map(({ id }) => id);
      const wallet = randomWallet();
      await (await (fixture.openInProcess?.() ?? db)).write(fillFavorites, wallet);
      const mark = (gameId: string, favorite: boolean) => db.write(setFavorite, { gameId, wallet }, favorite);
      const outcomes = await Promise.allSettled(games.map((gameId) => mark(gameId, true)));
      const refused = outcomes.filter((outcome) => outcome.status === 'rejected');
      const limited = 'favorite_limit_reached';
      expect(refused.map(({ reason }) => reason.reason)).toEqual([limited, limited]);
      const [kept = ''] = await favoritesOf(db, wallet);
      const [other = ''] = games.filter((gameId) => gameId !== kept);
      await mark(kept, true);
      await mark(kept, false);
      await mark(other, true);
      expect(await favoritesOf(db, wallet)).toEqual([other]);
    });

    test('are erased with the player', async () => {
      await using fixture = await open.empty();
      const { db } = fixture;
      const { id } = await addGame(db);
      const [ada, grace] = [await addPlayer(db, id), await addPlayer(db, id)];
      for (const owner of [ada, grace]) await db.write(setFavorite, owner, true);
      await erasePlayerData(db, tables, ada.wallet);
      fixture.clock.advance(hour);
      expect(await favoritesOf(db, ada.wallet)).toEqual([]);
      expect(await favoritesOf(db, grace.wallet)).toEqual([id]);
    });
  });
}

const device = () => ({ secretHash: crypto.randomUUID(), name: '' });

async function favoritesOf(db: Store, wallet: string): Promise<string[]> {
  return (await db.read(listFavorites, wallet)).map(({ game }) => game.id);
}
