import { closeSync, existsSync, openSync, readdirSync, rmSync, statSync, writeSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Argument, Command } from 'commander';
import { z } from 'zod';
import { GantryError } from '../core/errors.ts';
import { beginAudit, finishAudit } from '../features/administration/commands.ts';
import { findNamedGame } from '../features/games/queries.ts';
import { BackupError } from '../server/backup/backup-error.ts';
import { jsonOf, linesOf } from '../server/backup/game-file.ts';
import { refuseOutput } from '../server/backup/output-file.ts';
import {
  type ImportReport,
  importPlayers,
  type SourceName,
  sources,
} from '../tools/import/import-players.ts';
import { rulesText } from '../tools/import/target-leaderboards.ts';
import { Progress, print } from './output.ts';
import { withStore } from './with-store.ts';

interface Options {
  game: string;
  login?: string;
  refusals: string;
  dryRun?: boolean;
  json?: boolean;
}

export function importFromCommand(): Command {
  return new Command('import-from')
    .description('import the players of another system with their names, scores, states and friends')
    .addArgument(new Argument('<system>', 'where the files are from').choices(Object.keys(sources)))
    .argument('<files...>', 'its exported files, or folders with them')
    .requiredOption('--game <game>', 'game ID or slug')
    .option(
      '--login <service>',
      "which of a player's logins the game server will vouch by, such as steam, or wallet; default: the id",
    )
    .option('--refusals <file>', 'where rows that cannot be imported are listed', 'import-refusals.ndjson')
    .option('--dry-run', 'only count, and list what is not imported')
    .addHelpText(
      'after',
      '\nRunning it again with the same files changes nothing, and continues an import that was interrupted.' +
        '\nThe files of each system, and what is imported: "Importing players" in the manual (gantry docs).' +
        '\n\nExample:\n  gantry import-from nakama dump/ --game space-race --dry-run',
    )
    .action(async (source: SourceName, given: string[], options: Options) => {
      const { game: name, login, dryRun: isDryRun = false, json } = options;
      const refusals = new RefusalFile(resolve(options.refusals));
      const files = given.flatMap(filesIn).filter((file) => resolve(file) !== refusals.file);
      const startedAt = Date.now();
      const report = await withStore(async ({ db }, config) => {
        const game = await db.read(findNamedGame, name);
        if (!game) throw new GantryError('game_unknown', `There is no game with the ID or slug ${name}`);
        if (game.kind === 'launcher')
          throw new BackupError('A launcher has no players of its own: name a game.');
        refusals.begin(config.dataDirectory);
        const audited = { gameId: game.id, source, login, isDryRun };
        const entry = isDryRun ? null : await db.write(beginAudit, 'cli', 'importPlayers', audited);
        const progress = new Progress(isDryRun ? 'Comparing' : 'Importing');
        const imported = await importPlayers(db, {
          source,
          files,
          game,
          login,
          isDryRun,
          idleMs: config.guests.idleMs,
          refuse: (place, reason) => refusals.add({ ...place, reason }),
          onProgress: (done, total) => progress.update(done, total),
        }).finally(() => {
          progress.end();
          refusals.close();
        });
        if (entry !== null) await db.write(finishAudit, entry, 'ok');
        return imported;
      });
      refuseEmpty(report, { source, given, refusals });
      printReport(report, { isDryRun, refusals, seconds: (Date.now() - startedAt) / 1000 }, json);
    });
}

function refuseEmpty(
  { counts, leaderboards, refused, leftOut }: ImportReport,
  { source, given, refusals }: { source: SourceName; given: readonly string[]; refusals: RefusalFile },
): void {
  const isEmpty = Object.values(counts).every(({ inSource }) => inSource === 0);
  if (!isEmpty || leaderboards.length > 0) return;
  const reasons = leftOut.map(({ what, why }) => `\n  ${what} ${why}`);
  const { first } = refusals;
  if (first) {
    reasons.push(`\n  ${first.file} ${first.reason} (line ${first.line})`);
    if (refused > 1) reasons.push(`\n  All ${refused} refusals are listed in ${refusals.file}`);
  }
  throw new BackupError(
    `Found nothing to import in ${given.join(', ')}. For the files that Gantry reads from ${source}, see "Importing players" in the manual.${reasons.join('')}`,
  );
}

function printReport(
  { counts, leaderboards, leftOut, refused }: ImportReport,
  { isDryRun, refusals, seconds }: { isDryRun: boolean; refusals: RefusalFile; seconds: number },
  json: boolean | undefined,
): void {
  const file = refused > 0 ? { refusals: refusals.file } : {};
  if (json) {
    print({ dryRun: isDryRun, counts, leaderboards, leftOut, refused, ...file, seconds }, json);
    return;
  }
  const rows = Object.entries(counts).map(([what, count]) => ({ what, ...count }));
  print(rows, false);
  const boards = leaderboards.map(({ source, leaderboard, scores, exists, insteadOf, ...rules }) => ({
    leaderboard,
    in: source,
    scores,
    rules:
      `${exists ? 'exists' : `${isDryRun ? 'would be ' : ''}created`}: ${rulesText(rules)}` +
      (insteadOf ? `, instead of ${rulesText(insteadOf)}` : ''),
  }));
  for (const [title, table] of [
    ['Leaderboards', boards],
    ['Not imported', leftOut],
  ] as const) {
    if (table.length === 0) continue;
    process.stdout.write(`\n${title}\n`);
    print(table, false);
  }
  if (refused > 0)
    process.stdout.write(`\nRefused rows: ${refused}, listed with reasons in ${refusals.file}\n`);
  if (isDryRun) process.stdout.write('\nNothing was written.\n');
}

const refusal = z.strictObject({ file: z.string(), line: z.int(), reason: z.string() });

/** Refused rows as NDJSON, readable by its owner only; there is a file only if this run has refused any. */
class RefusalFile {
  readonly file: string;
  first: z.infer<typeof refusal> | undefined;
  #descriptor: number | undefined;

  constructor(file: string) {
    this.file = file;
  }

  /** Removes the list of an earlier run, which would look like this one's. @throws BackupError for any other file */
  begin(dataDirectory: string): void {
    refuseOutput(this.file, dataDirectory);
    if (!statSync(this.file, { throwIfNoEntry: false })?.isFile()) return; // such as /dev/null
    for (const line of linesOf(this.file)) {
      if (refusal.safeParse(jsonOf(line)).success) break;
      throw new BackupError(
        `${this.file} exists and is not a list of refused rows. Name another file with --refusals.`,
      );
    }
    rmSync(this.file);
  }

  add(refused: z.infer<typeof refusal>): void {
    this.first ??= refused;
    this.#descriptor ??= openSync(this.file, 'w', 0o600);
    writeSync(this.#descriptor, `${JSON.stringify(refused)}\n`);
  }

  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
  }
}

/** The file, or those of the folder. */
function filesIn(given: string): string[] {
  if (!existsSync(given)) throw new BackupError(`There is no file ${given}.`);
  if (!statSync(given).isDirectory()) {
    if (!/\.zip$/i.test(given)) return [given];
    throw new BackupError(`${given} is an archive: unpack it, and name the folder.`);
  }
  const names = readdirSync(given, { withFileTypes: true }).filter((entry) => entry.isFile());
  return names.map(({ name }) => join(given, name)).toSorted();
}
