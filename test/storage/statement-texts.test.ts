import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { EngineName, Statement } from '../../src/core/storage/query.ts';
import { DeclaredStatements } from '../../src/engines/postgres/declared-statements.ts';
import { migrate } from '../../src/engines/postgres/migrate.ts';
import { listActivities } from '../../src/features/activities/queries.ts';
import { eraseGameData } from '../../src/features/administration/game-eraser.ts';
import { exportGame, measureGame } from '../../src/features/administration/game-export.ts';
import { erasePlayerData } from '../../src/features/administration/player-eraser.ts';
import { registerGame } from '../../src/features/games/commands.ts';
import { listNewsRows } from '../../src/features/news/queries.ts';
import { readActions } from '../../src/features/queue/queries.ts';
import { startSession } from '../../src/features/sessions/commands.ts';
import { readDeliveries } from '../../src/features/webhooks/queries.ts';
import { tables } from '../../src/server/declarations/tables.ts';
import { differenceWhenHidden, filledWith } from '../engines/sqlite/hidden-parameters.ts';
import { freshDatabase, noPostgres } from '../support/postgres.ts';
import { volatileCalls } from '../support/volatile-calls.ts';
import { openSqliteDatabase } from './sqlite-database-under-test.ts';

const source = fileURLToPath(new URL('../../src', import.meta.url));
const gameId = '0198f2a0-0000-7000-8000-000000000001';
const wallet = `0x${'1'.repeat(40)}`;

/** Every statement declared so far, with the file that declares it, below src. */
const declared = vi.hoisted(() => {
  vi.resetModules(); // earlier files in the same process have loaded them unrecorded
  return new Map<Statement, string>();
});
afterAll(() => {
  vi.doUnmock('../../src/core/storage/query.ts');
  vi.resetModules();
});

vi.mock('../../src/core/storage/query.ts', async (importOriginal) => {
  const actual = await importOriginal<typeof import('../../src/core/storage/query.ts')>();
  const recorded: typeof actual.statement = (...args) => {
    const made = actual.statement(...args);
    const places = [...(new Error().stack ?? '').matchAll(/\/src\/([\w/-]+\.ts)/g)].map(([, path]) => path);
    declared.set(made as Statement, places.find((path) => path !== 'core/storage/query.ts') ?? '');
    return made;
  };
  return { ...actual, statement: recorded };
});

/** How often each file calls `statement`. */
function callsByFile(): [string, number][] {
  return readdirSync(source, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !/^(engines|core\/storage)\//.test(path))
    .map((path): [string, number] => {
      const text = readFileSync(join(source, path), 'utf8');
      return [path, [...text.matchAll(/\bstatement(<|\()/g)].length];
    })
    .filter(([, calls]) => calls > 0);
}

/** Every subset of these, from none to all. */
function subsets<Values extends object>(values: Values): Partial<Values>[] {
  let made: Partial<Values>[] = [{}];
  for (const [name, value] of Object.entries(values)) {
    made = made.flatMap((one) => [one, { ...one, [name]: value }]);
  }
  return made;
}

const files = callsByFile();

beforeAll(async () => {
  for (const [path] of files) await import(join(source, path));
  // Those that are created lazily.
  await using under = await openSqliteDatabase();
  const { db } = under;
  const page = { limit: 1, skip: 0 };
  for (const filter of subsets({ wallet, gameId, type: 'on-chain' as const })) {
    await db.read(listActivities, filter, page);
    await db.read(listActivities, filter, { limit: 1, skip: 1_000 });
  }
  for (const filter of subsets({ gameId, wallet, kind: 'chain' as const, state: 'failed' as const })) {
    await db.read(readActions, filter, page);
  }
  for (const filter of subsets({ webhookId: gameId, gameId, state: 'failed' as const })) {
    await db.read(readDeliveries, filter, page);
  }
  for (const filter of subsets({ gameId, status: 'draft' as const })) {
    await db.read(listNewsRows, { ...filter, ...page });
  }
  const seal = { hash: '', sealedMd5: '', sealedSecret: '' };
  const game = await db.write(registerGame, { name: 'A game' }, seal);
  await db.write(startSession, { gameId: game.id, wallet }, 60_000);
  await db.read(measureGame, tables, game.id);
  await db.read(exportGame, tables, game.id, String, () => {});
  await erasePlayerData(db, tables, wallet);
  await eraseGameData(db, tables, game.id, 0);
});

/** The texts of all statements for an engine, without duplicates. */
function textsFor(engine: EngineName): string[] {
  return [...new Set([...declared.keys()].map(({ texts }) => texts[engine] ?? ''))];
}

describe('every declared statement', () => {
  test.each(files)('of %s is covered here', (path, calls) => {
    const found = [...declared.values()].filter((file) => file === path);
    expect(found.length).toBeGreaterThanOrEqual(calls);
  });

  test('has a text for each engine', () => {
    const lacking = [...declared].filter(([{ texts }]) => !texts.sqlite || !texts.postgres);
    expect(lacking.map(([{ texts }, path]) => [path, texts])).toEqual([]);
  });

  test('is valid on SQLite', async () => {
    await using under = await openSqliteDatabase();
    const refused = textsFor('sqlite').flatMap((text) => {
      try {
        under.db.connection.prepare(text);
        return [];
      } catch (error) {
        return [`${error}: ${text}`];
      }
    });
    expect(refused).toEqual([]);
  });

  test.each([[1], ['text'], [null]])(
    'compiles to the same program on SQLite with hidden parameters, for parameters that are %s',
    async (value) => {
      await using under = await openSqliteDatabase();
      const differences = textsFor('sqlite').flatMap(
        (text) => differenceWhenHidden(under.db.connection, text, filledWith(value, text)) ?? [],
      );
      expect(differences).toEqual([]);
    },
  );

  test('quotes the names of mixed-case columns, which PostgreSQL would convert to lower case', () => {
    const unquoted = textsFor('postgres').filter((text) => /\bAS [a-z_]+[A-Z]/.test(text));
    expect(unquoted).toEqual([]);
  });

  test.skipIf(noPostgres !== null)('is valid on PostgreSQL', async () => {
    await using database = await freshDatabase();
    await migrate(database.url);
    const placed = new DeclaredStatements();
    const client = new Client({ connectionString: database.url });
    await client.connect();
    const refused: string[] = [];
    try {
      for (const [at, statement] of [...declared.keys()].entries()) {
        const { text } = placed.of(statement);
        await client
          .query(`PREPARE s${at} AS ${text}`)
          .catch((error: unknown) => refused.push(`${error}: ${text}`));
      }
    } finally {
      await client.end();
    }
    expect(refused).toEqual([]);
  });

  test.skipIf(noPostgres !== null)(
    'that updates rows calls no volatile function on PostgreSQL, which a distributed one refuses',
    async () => {
      const updates = textsFor('postgres').filter((text) => /\bUPDATE\s/.test(text));
      expect(updates.length).toBeGreaterThan(10);
      expect(await volatileCalls(updates)).toEqual([]);
    },
  );
});
