import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { type Config, readConfig } from '../../src/config.ts';
import { registerGame } from '../../src/features/games/commands.ts';
import type { NewGame } from '../../src/features/games/game.ts';
import { newGameSecret } from '../../src/features/games/game-secret.ts';
import type { SessionDetails } from '../../src/features/sessions/channel-session.ts';
import { startSession } from '../../src/features/sessions/commands.ts';
import { issueToken } from '../../src/features/sessions/new-session.ts';
import { type RunningServer, startServer } from '../../src/server/server.ts';
import { databaseOf } from './engine.ts';
import { startNginx } from './nginx.ts';

/** A player with an active channel session in a game. */
export interface TestPlayer {
  gameId: string;
  wallet: string;
  userId: string;
  sessionId: string;
  launcherJwt: string;
}

/** A real server on a free port of 127.0.0.1, on a separate data directory, with methods to fill it. */
export interface TestServer extends RunningServer {
  config: Config;
  /** Empty when an earlier start on the same data directory created it. */
  adminToken: string;
  createGame(game?: Partial<NewGame>): Promise<{ gameId: string; gameSecret: string }>;
  /** Opens a session; without a wallet, for a new player. */
  openSession(gameId: string, wallet?: string): Promise<TestPlayer>;
}

/** Suites call faster than any player; those about rate limits set their own. */
const unlimited = { RATE_LIMIT_FACTOR: '100000', ADMIN_TOKEN: 'the-admin-token-of-the-tests' };

/** `BEHIND=nginx npm test -- test/live`: tests that are written against a server run through a proxy too. */
const isBehindNginx = process.env.BEHIND === 'nginx';

/** Starts a server for one test: `await using server = await startTestServer()`. */
export async function startTestServer(
  variables: Record<string, string> = {},
  logger = pino({ level: 'silent' }),
): Promise<TestServer> {
  const ownDirectory =
    variables.DATA_DIR === undefined ? await mkdtemp(join(tmpdir(), 'gantry-test-')) : undefined;
  const directory = variables.DATA_DIR ?? ownDirectory ?? '';
  const config = readConfig({
    PORT: '0',
    DATA_DIR: ownDirectory,
    ...(await databaseOf(directory)),
    GANTRY_DEMO: 'off',
    ...unlimited,
    ...variables,
  });
  const server = await startServer(config, logger);
  const { db } = server.services;
  const front = isBehindNginx ? await startNginx([Number(new URL(server.url).port)]) : null;
  const dispose = async () => {
    await server.close();
    await front?.[Symbol.asyncDispose]();
    if (ownDirectory !== undefined) await rm(ownDirectory, { recursive: true, force: true }); // also when closed twice
  };
  return {
    ...server,
    url: front?.url ?? server.url,
    config,
    adminToken: config.adminToken ?? server.createdAdminToken ?? '',
    async createGame(game = {}) {
      const gameSecret = newGameSecret();
      const { id } = await db.write(
        registerGame,
        { name: 'Test Game', ...game },
        server.box.sealSecret(gameSecret),
      );
      return { gameId: id, gameSecret };
    },
    async openSession(gameId, wallet = randomWallet()) {
      const details = await db.write(startSession, { gameId, wallet }, config.sessionLifetimeMs);
      return testPlayer(details, server.services);
    },
    close: dispose,
    [Symbol.asyncDispose]: dispose,
  };
}

/** The player of a session that was opened, with its token. */
export async function testPlayer(
  details: SessionDetails,
  services: Parameters<typeof issueToken>[1],
): Promise<TestPlayer> {
  const { game, player, session } = details;
  const launcherJwt = await issueToken(details, services);
  return {
    gameId: game.id,
    wallet: player.wallet,
    userId: player.userId,
    sessionId: session.id,
    launcherJwt,
  };
}

/** A lowercase address whose key nobody has. */
export function randomWallet(): string {
  return `0x${Buffer.from(crypto.getRandomValues(new Uint8Array(20))).toString('hex')}`;
}
