import { Command, Option } from 'commander';
import type { z } from 'zod';
import { deleteGame, updateGame } from '../features/administration/operations/games.ts';
import { allowedOrigin } from '../features/games/allowed-origin.ts';
import {
  type GameListing,
  gameListing,
  gameName,
  gameOrder,
  gameSlug,
  gameUrl,
  type PolicyChanges,
  policyChanges,
} from '../features/games/game.ts';
import { ageRating, gameDescription, gameMedia, gameTag } from '../features/games/game-details.ts';
import { rotateGameSecret } from '../features/games/operations/game-secrets.ts';
import { createGame, listGames } from '../features/games/operations/games.ts';
import type { Administrator } from './administrator.ts';
import { collected, integer, minutes, parsed, parsedJson } from './options.ts';
import { print, printList } from './output.ts';

interface CommonOptions {
  url?: string;
  origin?: string[];
  policies?: PolicyChanges;
  description?: string;
  tag?: string[];
  media?: z.output<typeof gameMedia>;
  ageRating?: string;
  json?: boolean;
}

/** The options of a command under the names of the operation's fields. */
function fieldsOf<Options extends CommonOptions>({ origin, tag, ...others }: Options) {
  return { ...others, allowedOrigins: origin, tags: tag };
}

interface CreateOptions extends CommonOptions {
  name: string;
  slug?: string;
  kind: 'game' | 'launcher';
}

interface UpdateOptions extends CommonOptions {
  game: string;
  name?: string;
  listing?: GameListing;
  image?: string;
  order?: number;
}

export function gameCommand(administrator: Administrator): Command {
  const command = new Command('game').description(
    'create, list, update, archive and delete games, rotate their secrets',
  );

  withCommonOptions(command.command('create'))
    .description('create a game; its secret is shown only once')
    .requiredOption('--name <name>', 'display name', parsed(gameName))
    .option('--slug <slug>', 'name used in URLs; derived from the name by default', parsed(gameSlug))
    .addOption(new Option('--kind <kind>', 'game or launcher').choices(['game', 'launcher']).default('game'))
    .addHelpText('after', '\nExample:\n  gantry game create --name "Space Race" --json')
    .action(async ({ json, ...options }: CreateOptions) => {
      const created = await administrator.execute(createGame, fieldsOf(options));
      print({ gameId: created.gameId, gameSecret: created.gameSecret }, json);
    });

  command
    .command('list')
    .description('list all games')
    .addHelpText('after', '\nExample:\n  gantry game list')
    .action(async ({ json }: { json?: boolean }) => {
      const { games } = await administrator.execute(listGames, {});
      printList(games, json, ({ gameId, slug, name, kind, listing, deleting, createdAt }) => ({
        gameId,
        slug,
        name,
        kind,
        listing: deleting ? 'being deleted' : listing,
        created: new Date(createdAt).toISOString(),
      }));
    });

  withCommonOptions(command.command('update'))
    .description('update a game; omitted options stay unchanged')
    .requiredOption('--game <game>', 'game ID or slug')
    .option('--name <name>', 'display name', parsed(gameName))
    .addOption(
      new Option('--listing <listing>', 'listed, unlisted (found only by its slug) or archived').choices(
        gameListing.options,
      ),
    )
    .option('--image <url>', 'image shown in launchers', parsed(gameUrl))
    .option(
      '--order <number>',
      'sort order in lists; lower numbers come first',
      parsed(integer.pipe(gameOrder)),
    )
    .addHelpText('after', `\nExample:\n  gantry game update --game 0198… --policies '{"requireSecret":true}'`)
    .action(async ({ game: given, json, ...changes }: UpdateOptions) => {
      const gameId = await administrator.gameId(given);
      const { game } = await administrator.execute(updateGame, { gameId, ...fieldsOf(changes) });
      print(game, json);
    });

  command
    .command('archive')
    .description('end all sessions in a game and reject its players and server; its data is kept')
    .requiredOption('--game <game>', 'game ID or slug')
    .option('--undo', 'list an archived game again')
    .addHelpText('after', '\nExample:\n  gantry game archive --game space-race')
    .action(async ({ game: given, undo, json }: { game: string; undo?: boolean; json?: boolean }) => {
      const gameId = await administrator.gameId(given);
      const { game } = await administrator.execute(updateGame, {
        gameId,
        listing: undo ? 'listed' : 'archived',
      });
      print({ gameId, slug: game.slug, listing: game.listing }, json);
    });

  command
    .command('delete')
    .description('permanently delete a game with all its data')
    .requiredOption('--game <game>', 'game ID or slug')
    .requiredOption('--confirm <slug>', "the game's slug, to confirm the deletion")
    .addHelpText('after', '\nExample:\n  gantry game delete --game space-race --confirm space-race')
    .action(async ({ game, confirm, json }: { game: string; confirm: string; json?: boolean }) => {
      const gameId = await administrator.gameId(game);
      await administrator.execute(deleteGame, { gameId, confirm });
      print({ gameId, deleted: true }, json);
    });

  command
    .command('rotate-secret')
    .description('create a new secret for a game; old secrets stay valid for a grace period')
    .requiredOption('--game <game>', 'game ID or slug')
    .option('--grace <minutes>', 'how long old secrets stay valid', parsed(minutes()), 60)
    .addHelpText('after', '\nExample:\n  gantry game rotate-secret --game 0198… --grace 1440')
    .action(async ({ game, grace, json }: { game: string; grace: number; json?: boolean }) => {
      const gameId = await administrator.gameId(game);
      const { gameSecret } = await administrator.execute(rotateGameSecret, {
        gameId,
        graceSeconds: grace * 60,
      });
      print({ gameId, gameSecret }, json);
    });

  return command;
}

function withCommonOptions(command: Command): Command {
  return command
    .option('--url <url>', 'where the game is hosted; a path if Gantry serves it', parsed(gameUrl))
    .option(
      '--origin <origin>',
      'origin whose pages may call besides those of the server (repeatable; none: any)',
      collected(allowedOrigin),
    )
    .option('--policies <json>', 'policies as JSON, such as {"leaderboard":{"order":"asc"}}', parsedPolicies)
    .option('--description <text>', 'shown on its page, at most 5,000 characters', parsed(gameDescription))
    .option('--tag <tag>', 'shown on its page (repeatable)', collected(gameTag))
    .option('--media <json>', 'such as [{"kind":"image","url":"/shot.png","alt":"A ship"}]', parsedMedia)
    .option('--age-rating <rating>', 'such as "PEGI 12"', parsed(ageRating));
}

function parsedPolicies(text: string): PolicyChanges {
  return parsed(policyChanges.strict())(parsedJson(text));
}

function parsedMedia(text: string): z.output<typeof gameMedia> {
  return parsed(gameMedia)(parsedJson(text));
}
