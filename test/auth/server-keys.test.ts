import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { AdminToken, DatabaseAdminToken } from '../../src/calls/auth/admin-token.ts';
import type { Database } from '../../src/core/storage/database.ts';
import { PostgresDatabase } from '../../src/engines/postgres/postgres-database.ts';
import { SecretBox } from '../../src/features/games/game-secret.ts';
import { DatabaseTokenKeys } from '../../src/features/sessions/database-token-keys.ts';
import { serverKey } from '../../src/features/sessions/server-keys.ts';
import { TokenKeys } from '../../src/features/sessions/token-keys.ts';
import { domain } from '../../src/server/declarations/domain.ts';
import { freshDatabase, noPostgres, type TestDatabase } from '../support/postgres.ts';

const secretKey = randomBytes(32).toString('hex');
const newBox = (hex = secretKey) => new SecretBox('no file', hex);

describe.skipIf(noPostgres !== null)('the keys that nodes on different machines share', () => {
  let database: TestDatabase;
  /** Two nodes. */
  let one: Database;
  let other: Database;

  beforeEach(async () => {
    database = await freshDatabase();
    one = await PostgresDatabase.open(database.url, domain);
    other = await PostgresDatabase.open(database.url, domain);
  });
  afterEach(async () => {
    await Promise.all([one.close(), other.close()]);
    await database[Symbol.asyncDispose]();
  });

  const keysOf = async (db: Database, box = newBox()) => new TokenKeys(await DatabaseTokenKeys.open(db, box));
  const kidsOf = async (keys: TokenKeys) => (await keys.publicKeys()).keys.map(({ kid }) => kid);

  test('are created once by nodes that start at the same time', async () => {
    const both = await Promise.all([keysOf(one), keysOf(other)]);
    const [mine, theirs] = await Promise.all(both.map(kidsOf));
    expect(mine).toHaveLength(1);
    expect(theirs).toEqual(mine);
  });

  test('are known to every node once one has rotated them, and void everywhere without an overlap', async () => {
    const [mine, theirs] = await Promise.all([keysOf(one), keysOf(other)]);
    const [first] = await kidsOf(mine);
    const { kid: second } = await mine.rotate(60_000);
    expect(await kidsOf(theirs)).toEqual([second, first]);
    expect((await theirs.signingKey()).kid).toBe(second);
    const { kid: third } = await theirs.rotate(0);
    expect(await kidsOf(mine)).toEqual([third]);
    expect(await Promise.all([first, second, third].map((kid) => mine.verifies(kid)))).toEqual([
      false,
      false,
      true,
    ]);
  });

  test('are all kept when nodes rotate at the same time', async () => {
    const both = await Promise.all([keysOf(one), keysOf(other)]);
    const made = await Promise.all([...both, ...both].map((keys) => keys.rotate(60_000)));
    const [mine = [], theirs = []] = await Promise.all(both.map(kidsOf));
    expect(mine.toSorted()).toEqual(expect.arrayContaining(made.map(({ kid }) => kid)));
    expect(mine).toHaveLength(1 + made.length);
    expect(theirs).toEqual(mine);
  });

  test('are encrypted in the database, and cannot be decrypted with another key', async () => {
    const keys = await keysOf(one);
    const row = await one.read(serverKey, 'token-keys');
    for (const kid of await kidsOf(keys)) expect(row?.sealed).not.toContain(kid);
    await expect(keysOf(other, newBox(randomBytes(32).toString('hex')))).rejects.toThrow(
      'GANTRY_SECRET_KEY is not the key',
    );
  });

  test('include one admin token, printed by the node that created it', async () => {
    const [mine, theirs] = await Promise.all(
      [one, other].map((db) => AdminToken.open(new DatabaseAdminToken(db, newBox()), undefined)),
    );
    const made = [mine?.made, theirs?.made].filter((token) => typeof token === 'string');
    expect(made).toHaveLength(1);
    for (const node of [mine, theirs]) {
      expect(await node?.is(made[0] ?? '')).toBe(true);
      expect(await node?.is('gat_another')).toBe(false);
    }
    const row = await one.read(serverKey, 'admin-token');
    expect(newBox().open(row?.sealed ?? '')).toMatch(/^[0-9a-f]{64}$/);
  });

  test('include no admin token in the database when one is configured', async () => {
    const configured = await AdminToken.open(new DatabaseAdminToken(one, newBox()), 'as-configured-here');
    expect(await configured.is('as-configured-here')).toBe(true);
    expect(configured.made).toBe(null);
    expect(await one.read(serverKey, 'admin-token')).toBe(null);
  });
});
