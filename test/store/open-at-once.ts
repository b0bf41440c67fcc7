/**
 * A program for migrations.test.ts, which runs several of it: opens a fresh database in each round, all at
 * the same moment as the others, writes to it, and prints what went wrong as a JSON array.
 * Arguments: a directory, the number of rounds, when to begin (Unix ms).
 */
import { join } from 'node:path';
import { SqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { addGame } from '../contracts/store/fixture.ts';

const roundMs = 60;

const [directory = '', rounds = '', beginAt = ''] = process.argv.slice(2);
const failures: string[] = [];
for (let round = 0; round < Number(rounds); round++) {
  const at = Number(beginAt) + round * roundMs;
  while (Date.now() < at); // spins, because a timer is not exact enough to meet the others
  try {
    const store = new SqliteStore(join(directory, `${round}.db`));
    await addGame(store);
    await store.close();
  } catch (error) {
    failures.push(String(error));
  }
}
process.stdout.write(JSON.stringify(failures));
