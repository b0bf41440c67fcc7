import { describe, expect, test, vi } from 'vitest';
import { Connection } from '../../../src/engines/postgres/connection.ts';
import { findGame } from '../../../src/features/games/queries.ts';
import { requireBoard } from '../../../src/features/scores/boards.ts';
import { setScore } from '../../../src/features/scores/commands.ts';
import { addLeaderboard } from '../../../src/features/scores/leaderboard-commands.ts';
import { readAround } from '../../../src/features/scores/leaderboard-queries.ts';
import { setLeaderboardScore } from '../../../src/features/scores/leaderboard-score-commands.ts';
import { trio } from '../../contracts/storage/fixture.ts';
import { openPostgresDatabase } from '../../storage/postgres-database-under-test.ts';
import { noPostgres } from '../../support/postgres.ts';

describe.skipIf(noPostgres !== null)('the rows around a player', () => {
  test.each(['default', 'weekly'])(
    'of %s are read with one statement, without a transaction',
    async (name) => {
      await using store = await openPostgresDatabase();
      const { db } = store;
      const [ada, ...others] = await trio(db);
      const { gameId } = ada;
      await db.write(addLeaderboard, gameId, {
        name: 'weekly',
        keep: 'best',
        order: 'desc',
        entries: 'player',
        public: true,
        labels: [],
        schedule: null,
        keepSeasons: null,
      });
      for (const owner of [ada, ...others]) {
        await db.write(setScore, owner, 1);
        await db.write(setLeaderboardScore, owner, 'weekly', 1);
      }
      const game = await db.read(findGame, gameId);
      if (!game) throw new Error('there is no such game');
      const board = await requireBoard(db, game, { leaderboard: name }, { isPublic: true });
      const run = vi.spyOn(Connection.prototype, 'run');
      const script = vi.spyOn(Connection.prototype, 'script');
      try {
        expect(await db.read(readAround, board, ada.wallet, 11)).toHaveLength(3);
        expect(script.mock.calls.filter(([text]) => text.includes('READ ONLY'))).toEqual([]);
        expect(
          run.mock.calls.filter(([text]) => /\b(leaderboard_entries|scores|players)\b/.test(text)),
        ).toHaveLength(1);
      } finally {
        run.mockRestore();
        script.mockRestore();
      }
    },
  );
});
