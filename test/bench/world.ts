import { readConfig } from '../../src/config.ts';
import { PublicUrls } from '../../src/core/public-urls.ts';
import type { Owner } from '../../src/core/schemas/owner.ts';
import type { Database } from '../../src/core/storage/database.ts';
import { registerGame } from '../../src/features/games/commands.ts';
import type { NewGame } from '../../src/features/games/game.ts';
import { newGameSecret } from '../../src/features/games/game-secret.ts';
import { setScore } from '../../src/features/scores/commands.ts';
import { startSession } from '../../src/features/sessions/commands.ts';
import { issueToken } from '../../src/features/sessions/new-session.ts';
import { openStore } from '../../src/server/open-store.ts';
import { temporaryDirectory } from './temporary-directory.ts';

/** A player of the world's game, signed in. */
export interface WorldPlayer extends Owner {
  launcherJwt: string;
}

/** A data directory with a game and players in it, ready for a server. */
export interface World extends AsyncDisposable {
  dataDirectory: string;
  /** The settings of a server on it, besides its directory. */
  variables: Record<string, string>;
  gameId: string;
  players: WorldPlayer[];
}

/** Concurrent writes while filling: enough to share a commit, and few enough to hold in memory. */
const together = 5000;

/**
 * Creates a world through the server's own store, whatever its schema. `fill` adds what a benchmark needs besides
 * signed-in players; `variables` are settings, such as `DATABASE_URL`.
 */
export async function makeWorld(
  playerCount: number,
  fill?: (db: Database, world: Pick<World, 'gameId' | 'players'>) => Promise<void>,
  variables: Record<string, string> = {},
  newGame: Partial<NewGame> = {},
): Promise<World> {
  const directory = await temporaryDirectory();
  const config = readConfig({ DATA_DIR: directory.path, ...variables });
  const { db, tokens, box } = await openStore(config);
  const publicUrls = new PublicUrls(() => 'http://127.0.0.1:3000');
  const game = await db.write(registerGame, { name: 'Bench', ...newGame }, box.sealSecret(newGameSecret()));
  const players = await inParts(wallets(playerCount), async (wallet): Promise<WorldPlayer> => {
    const details = await db.write(startSession, { gameId: game.id, wallet }, config.sessionLifetimeMs);
    return { gameId: game.id, wallet, launcherJwt: await issueToken(details, { tokens, publicUrls }) };
  });
  await fill?.(db, { gameId: game.id, players });
  await db.close();
  return {
    dataDirectory: directory.path,
    variables,
    gameId: game.id,
    players,
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  };
}

/** Puts players with a score each on a game's board; no two scores are equal. */
export async function fillBoard(db: Database, gameId: string, playerCount: number): Promise<void> {
  const owners = wallets(playerCount).map((wallet) => ({ gameId, wallet }));
  await inParts(owners, (owner) => db.write(startSession, owner, 60_000));
  await inParts(owners, (owner, index) => db.write(setScore, owner, scrambled(index, playerCount)));
}

/** Random addresses in ascending order: rows are written fastest in key order. */
function wallets(count: number): string[] {
  const random = () => `0x${Buffer.from(crypto.getRandomValues(new Uint8Array(20))).toString('hex')}`;
  return Array.from({ length: count }, random).sort();
}

/** Permutes 0 … count-1; a large prime divides no count in use here. */
function scrambled(index: number, count: number): number {
  return (index * 999_983) % count;
}

/** Does something for every item, many concurrently, and keeps the order. */
export async function inParts<Item, Result>(
  items: readonly Item[],
  work: (item: Item, index: number) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (let start = 0; start < items.length; start += together) {
    const part = items.slice(start, start + together);
    results.push(...(await Promise.all(part.map((item, at) => work(item, start + at)))));
  }
  return results;
}
