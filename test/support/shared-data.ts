import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '../../src/config.ts';
import { PublicUrls } from '../../src/core/public-urls.ts';
import type { Database } from '../../src/core/storage/database.ts';
import { registerGame } from '../../src/features/games/commands.ts';
import type { NewGame } from '../../src/features/games/game.ts';
import { newGameSecret } from '../../src/features/games/game-secret.ts';
import { startSession } from '../../src/features/sessions/commands.ts';
import { openStore } from '../../src/server/open-store.ts';
import { databaseOf } from './engine.ts';
import { randomWallet, type TestPlayer, testPlayer } from './server.ts';

/** A data directory opened by the test itself, beside the servers that share it: one more writing process. */
export interface SharedData extends AsyncDisposable {
  path: string;
  db: Database;
  createGame(game?: Partial<NewGame>): Promise<string>;
  /** Opens a session; without a wallet, for a new player. */
  openSession(gameId: string, wallet?: string): Promise<TestPlayer>;
}

/** `settings`: of the database, when it is not the one that the tests run on. */
export async function openSharedData(settings: Record<string, string> = {}): Promise<SharedData> {
  const path = await mkdtemp(join(tmpdir(), 'gantry-live-'));
  const config = readConfig({ DATA_DIR: path, ...(await databaseOf(path)), ...settings });
  const { db, tokens, box } = await openStore(config);
  const publicUrls = new PublicUrls(() => 'http://127.0.0.1');
  return {
    path,
    db,
    async createGame(game = {}) {
      const { id } = await db.write(
        registerGame,
        { name: 'Test Game', ...game },
        box.sealSecret(newGameSecret()),
      );
      return id;
    },
    async openSession(gameId, wallet = randomWallet()) {
      const details = await db.write(startSession, { gameId, wallet }, config.sessionLifetimeMs);
      return testPlayer(details, { tokens, publicUrls });
    },
    async [Symbol.asyncDispose]() {
      await db.close();
      await rm(path, { recursive: true });
    },
  };
}
