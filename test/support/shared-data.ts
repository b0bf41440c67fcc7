import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newGameSecret } from '../../src/auth/game-secret.ts';
import { readConfig } from '../../src/config.ts';
import { Links } from '../../src/links.ts';
import { issueToken } from '../../src/operations/channel-sessions/issue-token.ts';
import type { NewGame, Store } from '../../src/store/store.ts';
import { openWorkspace } from '../../src/workspace.ts';
import { randomWallet, type TestPlayer } from './server.ts';

/** A data directory opened by the test itself, beside the servers that share it: one more process that writes. */
export interface SharedData extends AsyncDisposable {
  path: string;
  store: Store;
  createGame(game?: Partial<NewGame>): Promise<string>;
  /** Opens a session; without a wallet, for a player never seen before. */
  openSession(gameId: string, wallet?: string): Promise<TestPlayer>;
}

export async function openSharedData(): Promise<SharedData> {
  const path = await mkdtemp(join(tmpdir(), 'gantry-live-'));
  const config = readConfig({ DATA_DIR: path });
  const { store, tokens, box } = openWorkspace(config);
  const links = new Links(() => 'http://127.0.0.1');
  return {
    path,
    store,
    async createGame(game = {}) {
      const { id } = await store.games.create(
        { name: 'Test Game', ...game },
        box.sealSecret(newGameSecret()),
      );
      return id;
    },
    async openSession(gameId, wallet = randomWallet()) {
      const details = await store.sessions.open({ gameId, wallet }, config.sessionLifetimeMs);
      return {
        gameId,
        wallet,
        userId: details.player.userId,
        sessionId: details.session.id,
        launcherJwt: await issueToken(details, { tokens, links }),
      };
    },
    async [Symbol.asyncDispose]() {
      await store.close();
      await rm(path, { recursive: true });
    },
  };
}
