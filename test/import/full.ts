/**
 * Imports a game of many players from files of each system, or of those given, twice, with the command line. Prints for
 * each what was counted, the seconds and the peak memory of the process; exits with 1 if a count is wrong or the second
 * run has changed something. `IMPORTED_PLAYERS`: how many, by default 100,000; `ENGINE=postgres`: into PostgreSQL.
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type SourceName, sources } from '../../src/tools/import/import-players.ts';
import { gantryProgram } from '../support/gantry-process.ts';
import { freshDatabase } from '../support/postgres.ts';
import { countsOf, writeExport } from './fixtures.ts';

const count = Number(process.env.IMPORTED_PLAYERS ?? 100_000);
const chosen = process.argv.slice(2).length > 0 ? process.argv.slice(2) : Object.keys(sources);
const engine = process.env.ENGINE ?? 'sqlite';

let isComplete = true;
for (const source of chosen as SourceName[]) {
  const directory = mkdtempSync(join(tmpdir(), 'gantry-import-'));
  await using database = engine === 'postgres' ? await freshDatabase() : null;
  try {
    const files = join(directory, 'files');
    writeExport(source, files, count);
    const secretKey = '5e'.repeat(32);
    const env = {
      ...process.env,
      DATA_DIR: join(directory, 'data'),
      ...(database && { DATABASE_URL: database.url, GANTRY_SECRET_KEY: secretKey }),
    };
    await run(['game', 'create', '--name', 'Full', '--slug', 'full', '--json'], env);
    const refusals = join(directory, 'refusals.ndjson');
    for (const outcome of ['new', 'unchanged'] as const) {
      const options = ['--game', 'full', '--refusals', refusals, '--json'];
      const { report, seconds, mebibytes } = await run(['import-from', source, files, ...options], env);
      const expected = countsOf(count, { hasBlocks: source !== 'talo' && source !== 'playfab' });
      const isRight = Object.entries(expected).every(([kind, n]) => report.counts[kind]?.[outcome] === n);
      isComplete &&= isRight && report.refused === 0;
      const line = { source, engine, run: outcome, ...expected, isRight, seconds, mebibytes };
      process.stdout.write(`${JSON.stringify(line)}\n`);
    }
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
process.exit(isComplete ? 0 : 1);

/** Runs a command, which prints its peak memory as it exits. */
async function run(args: readonly string[], env: NodeJS.ProcessEnv) {
  const startedAt = performance.now();
  const printPeak =
    "process.on('exit', () => process.stderr.write('peak ' + process.resourceUsage().maxRSS))";
  const preload = `data:text/javascript,${encodeURIComponent(printPeak)}`;
  const { stdout, stderr } = await promisify(execFile)(
    process.execPath,
    ['--import', preload, gantryProgram, ...args],
    { env, maxBuffer: 64 * 1024 * 1024 },
  );
  const seconds = Math.round((performance.now() - startedAt) / 100) / 10;
  const mebibytes = Math.round(Number(/peak (\d+)/.exec(stderr)?.[1]) / 1024);
  return { report: JSON.parse(stdout), seconds, mebibytes };
}
