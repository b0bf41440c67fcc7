import { chmodSync, existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { postgresRunVariable, runFiles, serverOf } from './support/postgres.ts';
import { until } from './support/until.ts';

/** One PostgreSQL for the whole run: started by the first test that needs a database, stopped at the end of the run. */
export default function postgres(): () => Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'gantry-tests-'));
  chmodSync(directory, 0o755); // PostgreSQL may run as another user
  writeFileSync(join(directory, runFiles.run), String(process.pid));
  process.env[postgresRunVariable] = directory;
  return async () => {
    const server = serverOf(directory);
    if (server) {
      process.kill(server.pid, 'SIGQUIT'); // immediately: its data is no longer needed
      await until('PostgreSQL of the run ended', () => !existsSync(join(server.data, 'postmaster.pid')));
    }
    await rm(directory, { recursive: true, force: true });
  };
}
