import { join } from 'node:path';
import { expect, it } from 'vitest';
import { query } from '../../../src/core/storage/query.ts';
import { SqliteDatabase } from '../../../src/engines/sqlite/sqlite-database.ts';
import { setProfile } from '../../../src/features/players/commands.ts';
import { players } from '../../../src/features/players/tables.ts';
import { domain } from '../../../src/server/declarations/domain.ts';
import { randomWallet } from '../../support/server.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const namesOf = query('namesOf', function* (read, wallets: readonly string[]) {
  const names: string[] = [];
  for (const wallet of wallets) names.push((yield* read.get(players, wallet))?.username ?? '');
  return names;
});
const namesInOneView = query('namesInOneView', function* (read, wallets: readonly string[]) {
  return yield* read.inOneView(function* () {
    return yield* namesOf(read, wallets);
  });
});

/** Reads with a pause after every request; returns the result and how many pauses there were. */
async function readWith(onPause: () => Promise<unknown>, asked: typeof namesOf) {
  await using directory = await temporaryDirectory();
  const db = new SqliteDatabase(join(directory.path, 'gantry.db'), domain);
  const wallets = Array.from({ length: 4 }, randomWallet);
  for (const wallet of wallets) await db.write(setProfile, wallet, { username: 'before' });
  let pauses = 0;
  const pause = {
    isDue: true,
    async pause() {
      pauses++;
      if (pauses === 2)
        for (const wallet of wallets) await db.write(setProfile, wallet, { username: 'after' });
      await onPause();
    },
  };
  const names = await db.readInParts(pause, asked, wallets);
  await db.close();
  return { names, pauses };
}

it('a query whose time is over continues in a later turn, where it sees what was written meanwhile', async () => {
  const { names, pauses } = await readWith(() => new Promise((resume) => setImmediate(resume)), namesOf);
  expect(pauses).toBe(4); // before the first part, and between the four
  expect(names).toEqual(['before', 'after', 'after', 'after']);
});

it('a query that reads from one snapshot is not interrupted', async () => {
  const { names, pauses } = await readWith(async () => undefined, namesInOneView);
  expect(pauses).toBe(1);
  expect(names).toEqual(['before', 'before', 'before', 'before']);
});
