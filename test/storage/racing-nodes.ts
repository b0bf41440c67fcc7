import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll } from 'vitest';
import { GantryError } from '../../src/core/errors.ts';
import type { Owner } from '../../src/core/schemas/owner.ts';
import type { Database } from '../../src/core/storage/database.ts';
import { PostgresDatabase } from '../../src/engines/postgres/postgres-database.ts';
import { registerGame } from '../../src/features/games/commands.ts';
import type { NewGame } from '../../src/features/games/game.ts';
import { startSession } from '../../src/features/sessions/commands.ts';
import { domain } from '../../src/server/declarations/domain.ts';
import { freshSchema } from '../support/postgres-schema.ts';
import { randomWallet } from '../support/server.ts';

/** The outcomes of 100 calls. */
export interface Race<Result> {
  results: Result[];
  /** How many were refused, by reason. */
  refused: Record<string, number>;
}

/** Two nodes on one PostgreSQL, for the tests of a suite. */
export interface RacingNodes {
  first(): Database;
  addGame(game?: Partial<NewGame>): Promise<string>;
  /** Of the named game, or of a new one. */
  addPlayer(gameId?: string): Promise<Owner>;
  /** Makes 50 concurrent calls on each node; `n` is from 0 to 99. Errors other than refusals are thrown. */
  race<Result>(call: (db: Database, n: number) => Promise<Result>): Promise<Race<Result>>;
}

export function racingNodes(): RacingNodes {
  let nodes: Database[] = [];
  let end = async () => {};
  beforeAll(async () => {
    const database = await freshSchema();
    nodes = await Promise.all([1, 2].map(() => PostgresDatabase.open(database.url, domain)));
    end = async () => {
      await Promise.all(nodes.map((node) => node.close()));
      await database[Symbol.asyncDispose]();
    };
  });
  afterAll(() => end());

  const first = (): Database => {
    const [node] = nodes;
    if (!node) throw new Error('there is no node');
    return node;
  };
  const addGame = async (game: Partial<NewGame> = {}): Promise<string> => {
    const secret = { hash: randomUUID(), sealedMd5: '', sealedSecret: '' };
    return (await first().write(registerGame, { name: 'Race', slug: randomUUID(), ...game }, secret)).id;
  };
  return {
    first,
    addGame,
    async addPlayer(gameId) {
      const owner = { gameId: gameId ?? (await addGame()), wallet: randomWallet() };
      await first().write(startSession, owner, 1e8);
      return owner;
    },
    async race(call) {
      const settled = await Promise.allSettled(
        Array.from({ length: 50 }, (_, n) => n).flatMap((n) =>
          nodes.map((node, at) => call(node, n * 2 + at)),
        ),
      );
      const results: Awaited<ReturnType<typeof call>>[] = [];
      const refused = new Map<string, number>();
      for (const one of settled) {
        if (one.status === 'fulfilled') results.push(one.value);
        else if (one.reason instanceof GantryError) {
          refused.set(one.reason.reason, (refused.get(one.reason.reason) ?? 0) + 1);
        } else throw one.reason;
      }
      return { results, refused: Object.fromEntries(refused) };
    },
  };
}
