import { describe, expect, test } from 'vitest';
import type { Store } from '../../../src/core/storage/store.ts';
import { findGameDetails } from '../../../src/features/games/library-queries.ts';
import { addRelease, deleteRelease } from '../../../src/features/releases/commands.ts';
import { listReleaseRows } from '../../../src/features/releases/queries.ts';
import type { NewRelease } from '../../../src/features/releases/release.ts';
import { addGame, listen, nowAndReopened, type OpenStore } from './fixture.ts';

/** The contract of commands and queries about releases. */
export function releasesContract(open: OpenStore): void {
  describe('releases', () => {
    test('the latest is the current version; each is announced once', async () => {
      await using fixture = await open();
      const { db } = fixture;
      const { id: gameId } = await addGame(db);
      expect(await currentVersion(db, gameId)).toBe('');
      const received = listen(db);
      const first = await release(db, gameId, '2.0', { notes: 'First', url: '/play', required: true });
      expect(first).toEqual({
        gameId,
        version: '2.0',
        notes: 'First',
        url: '/play',
        required: true,
        publishedAt: expect.any(Number),
      });
      await release(db, gameId, '1.9.1');
      const { notes: _, ...announced } = first;
      expect(received).toMatchObject([
        { name: 'releases created', record: announced, audience: { kind: 'game', gameId } },
        { name: 'releases created', record: { version: '1.9.1' } },
      ]);
      for await (const one of nowAndReopened(fixture)) {
        expect(await currentVersion(one, gameId)).toBe('1.9.1');
        expect(await versions(one, gameId)).toEqual(['1.9.1', '2.0']);
        expect(await versions(one, gameId, first.publishedAt + 1)).toEqual(['2.0']);
      }
      await fixture.db.write(deleteRelease, gameId, '1.9.1');
      expect(await currentVersion(fixture.db, gameId)).toBe('2.0');
    });

    test('what does not fit is refused, and changes nothing', async () => {
      await using fixture = await open();
      const { db } = fixture;
      const { id: gameId } = await addGame(db);
      await release(db, gameId, '1.0');
      const received = listen(db);
      for (const [attempt, reason] of [
        [() => release(db, 'none', '1.0'), 'game_unknown'],
        [() => release(db, gameId, '1.0', { notes: 'again' }), 'release_version_taken'],
        [() => release(db, gameId, '1'), 'release_version_taken'],
        [() => release(db, gameId, '01.0.0.0'), 'release_version_taken'],
        [() => db.write(deleteRelease, gameId, '1.1'), 'release_unknown'],
      ] as const) {
        await expect(attempt()).rejects.toMatchObject({ reason });
      }
      expect(received).toEqual([]);
      const rows = await db.read(listReleaseRows, gameId, { before: Number.MAX_SAFE_INTEGER, limit: 10 });
      expect(rows).toMatchObject([{ version: '1.0', notes: '' }]);
      for (const version of ['10', '1.0.0.1', '0.1', '0']) await release(db, gameId, version);
    });
  });
}

function release(db: Store, gameId: string, version: string, more: Partial<NewRelease> = {}) {
  return db.write(addRelease, gameId, { version, notes: '', url: '', required: false, ...more });
}

async function currentVersion(db: Store, gameId: string): Promise<string> {
  return (await db.read(findGameDetails, gameId)).version;
}

async function versions(db: Store, gameId: string, before = Number.MAX_SAFE_INTEGER): Promise<string[]> {
  const rows = await db.read(listReleaseRows, gameId, { before, limit: 10 });
  return rows.map(({ version }) => version);
}
