import { Command, InvalidArgumentError, Option } from 'commander';
import { gameName, gameSlug, gameUrl, origin, type PolicyChanges, policyChanges } from '../domain/game.ts';
import { createGame } from '../operations/admin/create-game.ts';
import { listGames } from '../operations/admin/list-games.ts';
import { rotateGameSecret } from '../operations/admin/rotate-game-secret.ts';
import { updateGame } from '../operations/admin/update-game.ts';
import { asAdministrator } from './as-administrator.ts';
import { collected, minutes, parsed } from './option-parsers.ts';
import { print } from './output.ts';

interface CommonOptions {
  url?: string;
  origin?: string[];
  policies?: PolicyChanges;
  json?: boolean;
}

interface CreateOptions extends CommonOptions {
  name: string;
  slug?: string;
  kind: 'game' | 'launcher';
}

interface UpdateOptions extends CommonOptions {
  game: string;
  name?: string;
}

export function gameCommand(): Command {
  const command = new Command('game').description('register games, change them, rotate their secrets');

  withCommonOptions(command.command('create'))
    .description('register a game; its secret is shown this once')
    .requiredOption('--name <name>', 'shown to players', parsed(gameName))
    .option('--slug <slug>', 'short name for addresses; made of the name when left out', parsed(gameSlug))
    .addOption(
      new Option('--kind <kind>', 'a game, or a launcher').choices(['game', 'launcher']).default('game'),
    )
    .addHelpText('after', '\nExample:\n  gantry game create --name "Space Race" --json')
    .action(async ({ json, origin: allowedOrigins, ...game }: CreateOptions) => {
      const created = await asAdministrator(createGame, { ...game, allowedOrigins });
      print({ gameId: created.gameId, gameSecret: created.gameSecret }, json);
    });

  command
    .command('list')
    .description('list the games')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  gantry game list')
    .action(async ({ json }: { json?: boolean }) => {
      const { games } = await asAdministrator(listGames, {});
      const shown = games.map(({ gameId, slug, name, kind, createdAt }) => ({
        gameId,
        slug,
        name,
        kind,
        created: new Date(createdAt).toISOString(),
      }));
      print(json ? games : shown, json);
    });

  withCommonOptions(command.command('update'))
    .description('change a game; what is not given stays')
    .requiredOption('--game <id>', 'the game')
    .option('--name <name>', 'shown to players', parsed(gameName))
    .addHelpText('after', `\nExample:\n  gantry game update --game 0198… --policies '{"requireSecret":true}'`)
    .action(async ({ game: gameId, json, origin: allowedOrigins, ...changes }: UpdateOptions) => {
      const { game } = await asAdministrator(updateGame, { gameId, ...changes, allowedOrigins });
      print(game, json);
    });

  command
    .command('rotate-secret')
    .description('give a game a new secret; the old one goes on working for a while')
    .requiredOption('--game <id>', 'the game')
    .option('--grace <minutes>', 'how long earlier secrets go on working', parsed(minutes), 60)
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  gantry game rotate-secret --game 0198… --grace 1440')
    .action(async ({ game: gameId, grace, json }: { game: string; grace: number; json?: boolean }) => {
      const { gameSecret } = await asAdministrator(rotateGameSecret, { gameId, graceSeconds: grace * 60 });
      print({ gameId, gameSecret }, json);
    });

  return command;
}

function withCommonOptions(command: Command): Command {
  return command
    .option('--url <url>', 'where the game is played; a path for one that Gantry serves', parsed(gameUrl))
    .option(
      '--origin <origin>',
      'browser origin that may call for it (repeatable; none: any)',
      collected(origin),
    )
    .option('--policies <json>', 'policies as JSON, such as {"leaderboard":{"order":"asc"}}', parsedPolicies)
    .option('--json', 'print JSON');
}

function parsedPolicies(text: string): PolicyChanges {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new InvalidArgumentError('must be JSON');
  }
  return parsed(policyChanges.strict())(value);
}
