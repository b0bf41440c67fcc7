import { Command, Option } from 'commander';
import { GantryError } from '../core/errors.ts';
import { entryRule, keepRule, leaderboardRules, scoreLabel } from '../features/scores/leaderboard.ts';
import { listLeaderboardScores } from '../features/scores/operations/leaderboard-scores.ts';
import {
  listLeaderboardSeasons,
  resetLeaderboard,
} from '../features/scores/operations/leaderboard-seasons.ts';
import {
  createLeaderboard,
  listLeaderboards,
  removeLeaderboard,
  updateLeaderboard,
} from '../features/scores/operations/leaderboards.ts';
import type { Administrator } from './administrator.ts';
import { collected, integer, type PageOptions, parsed, seasonsKept, withPageOptions } from './options.ts';
import { print, printList } from './output.ts';

interface GameOptions {
  game: string;
  json?: boolean;
}

interface PageFilter {
  season?: number;
  label?: string;
  around?: string;
}

/** The settings that can be given on creation and changed later. */
interface Settings extends GameOptions {
  private?: boolean;
  label?: string[];
  schedule?: string;
  timeZone?: string;
  keepSeasons?: number | 'all';
}

interface Rules {
  keep: 'best' | 'latest' | 'sum' | 'count';
  order: 'desc' | 'asc';
  entries: 'player' | 'all';
}

export function leaderboardCommand(administrator: Administrator): Command {
  const command = new Command('leaderboard').description(
    'print, create and change leaderboards, end seasons',
  );
  addReadCommands(command, administrator);
  addWriteCommands(command, administrator);
  return command;
}

function addReadCommands(command: Command, administrator: Administrator): void {
  withPageOptions(withGame(command.command('show [leaderboard]', { isDefault: true })))
    .description('print a leaderboard; without a name: `default`')
    .option('--season <number>', 'a finished season; default: the current one', parsed(integer))
    .option('--label <label>', 'only scores with this label')
    .option('--around <wallet>', 'up to `--limit` ranks around this player')
    .addHelpText(
      'after',
      '\nExamples:' +
        '\n  gantry leaderboard --game space-race --limit 10' +
        '\n  gantry leaderboard show weekly --game space-race --season 3',
    )
    .action(
      async (name: string | undefined, { game, json, ...filter }: GameOptions & PageOptions & PageFilter) => {
        const gameId = await administrator.gameId(game);
        const board = { gameId, ...(name !== undefined && { leaderboard: name }) };
        const { leaderboard } = await administrator.execute(listLeaderboardScores, { ...board, ...filter });
        printList(
          leaderboard,
          json,
          ({ position, _id, normalizedAddress, username, score, updatedAt, label, metadata }) => ({
            '#': position,
            score,
            username,
            wallet: normalizedAddress,
            scoreId: _id,
            updated: new Date(updatedAt).toISOString(),
            ...(name !== undefined && {
              label: label ?? '',
              metadata: metadata ? JSON.stringify(metadata) : '',
            }),
          }),
        );
      },
    );

  withGame(command.command('list'))
    .description("list a game's leaderboards, except `default`")
    .addHelpText('after', '\nExample:\n  gantry leaderboard list --game space-race')
    .action(async ({ game, json }: GameOptions) => {
      const gameId = await administrator.gameId(game);
      const { leaderboards } = await administrator.execute(listLeaderboards, { gameId });
      printList(leaderboards, json, (board) => ({
        name: board.leaderboard,
        keep: board.keep,
        order: board.order,
        entries: board.entries,
        public: board.public,
        season: board.season,
        seasonEnds: board.seasonEndsAt === null ? '–' : new Date(board.seasonEndsAt).toISOString(),
      }));
    });

  withPageOptions(withGame(command.command('seasons <leaderboard>')))
    .description('list the finished seasons of a leaderboard, newest first')
    .addHelpText('after', '\nExample:\n  gantry leaderboard seasons weekly --game space-race')
    .action(async (leaderboard: string, { game, json, ...page }: GameOptions & PageOptions) => {
      const gameId = await administrator.gameId(game);
      const { data } = await administrator.execute(listLeaderboardSeasons, { gameId, leaderboard, ...page });
      printList(data, json, ({ season, startedAt, endedAt }) => ({
        season,
        began: new Date(startedAt).toISOString(),
        ended: new Date(endedAt).toISOString(),
      }));
    });
}

function addWriteCommands(command: Command, administrator: Administrator): void {
  withSettings(command.command('create <leaderboard>'))
    .description('create a leaderboard; its ranking rules cannot be changed later')
    .addOption(
      new Option('--keep <rule>', "which of a player's scores counts")
        .choices(keepRule.options)
        .default('best'),
    )
    .addOption(
      new Option('--order <order>', '`desc`: higher is better; `asc`: lower is better')
        .choices(leaderboardRules.order.options)
        .default('desc'),
    )
    .addOption(
      new Option('--entries <rule>', 'one entry per `player`, or `all` scores')
        .choices(entryRule.options)
        .default('player'),
    )
    .addHelpText(
      'after',
      '\nExample:' +
        '\n  gantry leaderboard create weekly --game space-race --keep sum --schedule "0 0 * * 1" --time-zone Europe/Berlin',
    )
    .action(async (name: string, { game, json, ...given }: Settings & Rules) => {
      const gameId = await administrator.gameId(game);
      const { keep, order, entries, label = [] } = given;
      const rules = { name, keep, order, entries, labels: label };
      const input = { gameId, ...rules, ...settingsOf(given) };
      printLeaderboard((await administrator.execute(createLeaderboard, input)).leaderboard, json);
    });

  withSettings(command.command('update <leaderboard>'))
    .description('update a leaderboard; omitted options stay unchanged, labels are added')
    .addOption(new Option('--public', 'readable by everyone').conflicts('private'))
    .addHelpText(
      'after',
      '\nExample:\n  gantry leaderboard update weekly --game space-race --schedule none --keep-seasons 10',
    )
    .action(async (leaderboard: string, { game, json, ...given }: Settings & { public?: true }) => {
      const gameId = await administrator.gameId(game);
      if (given.schedule !== undefined && given.schedule !== 'none' && given.timeZone === undefined) {
        const { leaderboards } = await administrator.execute(listLeaderboards, { gameId });
        const before = leaderboards.find((one) => one.leaderboard === leaderboard)?.schedule;
        if (before) given.timeZone = before.timeZone;
      }
      const input = {
        gameId,
        leaderboard,
        ...settingsOf(given),
        ...(given.public && { public: true }),
        ...(given.label && { addLabels: given.label }),
      };
      printLeaderboard((await administrator.execute(updateLeaderboard, input)).leaderboard, json);
    });

  withGame(command.command('end-season <leaderboard>'))
    .description('end the season of a leaderboard now; its standings are kept, and the next one begins')
    .addHelpText('after', '\nExample:\n  gantry leaderboard end-season weekly --game space-race')
    .action(async (leaderboard: string, { game, json }: GameOptions) => {
      const gameId = await administrator.gameId(game);
      const { season } = await administrator.execute(resetLeaderboard, { gameId, leaderboard });
      print({ leaderboard, season }, json);
    });

  withGame(command.command('remove <leaderboard>'))
    .description('permanently delete a leaderboard with its scores and finished seasons')
    .requiredOption('--yes', 'confirm the deletion')
    .addHelpText('after', '\nExample:\n  gantry leaderboard remove weekly --game space-race --yes')
    .action(async (leaderboard: string, { game, json }: GameOptions) => {
      const gameId = await administrator.gameId(game);
      await administrator.execute(removeLeaderboard, { gameId, leaderboard });
      print({ gameId, leaderboard, removed: true }, json);
    });
}

/** Prints its times as dates for people. */
function printLeaderboard(leaderboard: object, json: boolean | undefined): void {
  const shown = Object.entries(leaderboard).map(([name, value]) => [
    name,
    name.endsWith('At') && typeof value === 'number' ? new Date(value).toISOString() : value,
  ]);
  print(json ? leaderboard : Object.fromEntries(shown), json);
}

/** The input that both operations share. */
function settingsOf({ private: isPrivate, schedule, timeZone, keepSeasons }: Omit<Settings, 'game'>) {
  if (timeZone !== undefined && (schedule === undefined || schedule === 'none')) {
    throw new GantryError('input_invalid', '--time-zone requires --schedule');
  }
  return {
    ...(isPrivate && { public: false }),
    ...(schedule === 'none' && { schedule: null }),
    ...(schedule !== undefined &&
      schedule !== 'none' && { schedule: { cron: schedule, ...(timeZone !== undefined && { timeZone }) } }),
    ...(keepSeasons !== undefined && { keepSeasons: keepSeasons === 'all' ? null : keepSeasons }),
  };
}

function withSettings(command: Command): Command {
  return withGame(command)
    .option('--private', "readable only by administrators and the game's server")
    .option('--label <label>', 'label that scores may have; repeatable', collected(scoreLabel))
    .option('--schedule <cron>', 'when seasons end: a cron expression with five fields, or none')
    .option(
      '--time-zone <zone>',
      'time zone of the schedule, such as Europe/Berlin (default: as before, or UTC)',
    )
    .option(
      '--keep-seasons <count>',
      'how many finished seasons to keep: a number, or all',
      parsed(seasonsKept),
    );
}

function withGame(command: Command): Command {
  return command.requiredOption('--game <game>', 'game ID or slug');
}
