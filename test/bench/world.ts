import { readConfig } from '../../src/config.ts';
import type { Owner } from '../../src/core/schemas/owner.ts';
import type { Database } from '../../src/core/storage/database.ts';
import { openStore } from '../../src/data-directory.ts';
import { registerGame } from '../../src/games/commands.ts';
import { newGameSecret } from '../../src/games/game-secret.ts';
import { PublicUrls } from '../../src/public-urls.ts';
import { setScore } from '../../src/scores/commands.ts';
import { startSession } from '../../src/sessions/commands.ts';
import { issueToken } from '../../src/sessions/operations/issue-token.ts';
import { temporaryDirectory } from './temporary-directory.ts';

/** A player of the world's game, signed in. */
export interface WorldPlayer extends Owner {
  launcherJwt: string;
}

/** A data directory with a game and players in it, ready for a server. */
export interface World extends AsyncDisposable {
  dataDirectory: string;
  /** What a server on it is to be given beside its directory. */
  variables: Record<string, string>;
  gameId: string;
  players: WorldPlayer[];
}

/** Writes asked for at once while filling: enough to share a commit, and little enough to hold in memory. */
const together = 5000;

/**
 * Makes a world by the same store the server works with, whatever its tables look like.
 * `fill` puts in what a benchmark needs beside players who are signed in; `variables` are settings, such as `DATABASE_URL`.
 */
export async function makeWorld(
  playerCount: number,
  fill?: (db: Database, world: Pick<World, 'gameId' | 'players'>) => Promise<void>,
  variables: Record<string, string> = {},
): Promise<World> {
  const directory = await temporaryDirectory();
  const config = readConfig({ DATA_DIR: directory.path, ...variables });
  const { db, tokens, box } = await openStore(config);
  const publicUrls = new PublicUrls(() => 'http://127.0.0.1:3000');
  const game = await db.write(registerGame, { name: 'Bench' }, box.sealSecret(newGameSecret()));
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

/** Puts players with a score each on a game's board; no two scores are the same. */
export async function fillBoard(db: Database, gameId: string, playerCount: number): Promise<void> {
  const owners = wallets(playerCount).map((wallet) => ({ gameId, wallet }));
  await inParts(owners, (owner) => db.write(startSession, owner, 60_000));
  await inParts(owners, (owner, index) => db.write(setScore, owner, scrambled(index, playerCount)));
}

/** Random addresses in ascending order: rows written in the order of their key are written fastest. */
function wallets(count: number): string[] {
  const random = () => `0x${Buffer.from(crypto.getRandomValues(new Uint8Array(20))).toString('hex')}`;
  return Array.from({ length: count }, random).sort();
}

/** Takes 0 … count-1 to the same numbers in another order; a large prime divides no count in use here. */
function scrambled(index: number, count: number): number {
  return (index * 999_983) % count;
}

/** Does something for every item, many at a time, and keeps the order. */
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
