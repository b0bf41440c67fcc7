/**
 * A program for migrations.test.ts, which runs several of it: opens a fresh database in each round, at the same moment
 * as the others, writes to it, and prints errors as a JSON array. Arguments: a directory, the number of rounds, when to
 * begin (Unix ms).
 */
import { join } from 'node:path';
import { SqliteDatabase } from '../../src/engines/sqlite/sqlite-database.ts';
import { domain } from '../../src/server/declarations/domain.ts';
import { addGame } from '../contracts/storage/fixture.ts';

const roundMs = 60;

const [directory = '', rounds = '', beginAt = ''] = process.argv.slice(2);
const failures: string[] = [];
for (let round = 0; round < Number(rounds); round++) {
  const at = Number(beginAt) + round * roundMs;
  while (Date.now() < at); // spins, because a timer is not exact enough
  try {
    const store = new SqliteDatabase(join(directory, `${round}.db`), domain);
    await addGame(store);
    await store.close();
  } catch (error) {
    failures.push(String(error));
  }
}
process.stdout.write(JSON.stringify(failures));
