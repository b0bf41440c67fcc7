import { Command } from 'commander';
import { z } from 'zod';
import { newGameSecret } from '../auth/game-secret.ts';
import { gameKind, gameName, gameSlug, gameUrl, origin } from '../domain/game.ts';
import { collected, parsed } from './option-parsers.ts';
import { print } from './output.ts';
import { withWorkspace } from './with-workspace.ts';

interface CreateOptions {
  name: string;
  slug?: string;
  kind: 'game' | 'launcher';
  url?: string;
  origin: string[];
  json?: boolean;
}

const minutes = z.coerce.number('must be a number of minutes').min(0);

export function gameCommand(): Command {
  const command = new Command('game').description('register games and their secrets');

  command
    .command('create')
    .description('register a game; its secret is shown this once')
    .requiredOption('--name <name>', 'shown to players', parsed(gameName))
    .option('--slug <slug>', 'short name for addresses; made of the name when left out', parsed(gameSlug))
    .option('--kind <kind>', 'game, or launcher for a launcher of its own', parsed(gameKind), 'game' as const)
    .option('--url <url>', 'where the game is played', parsed(gameUrl))
    .option(
      '--origin <origin>',
      'browser origin that may call for it (repeatable; none: any)',
      collected(origin),
      [],
    )
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  gantry game create --name "Space Race" --json')
    .action(({ json, origin: allowedOrigins, ...game }: CreateOptions) =>
      withWorkspace(async ({ store, box }) => {
        const gameSecret = newGameSecret();
        const { id } = await store.games.create({ ...game, allowedOrigins }, box.sealSecret(gameSecret));
        print({ gameId: id, gameSecret }, json);
      }),
    );

  command
    .command('list')
    .description('list the games')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  gantry game list')
    .action(({ json }: { json?: boolean }) =>
      withWorkspace(async ({ store }) => {
        const games = await store.games.list();
        print(
          games.map(({ id, slug, name, kind, url, allowedOrigins, policies, createdAt }) =>
            json
              ? { gameId: id, slug, name, kind, url, allowedOrigins, policies, createdAt }
              : { gameId: id, slug, name, kind, created: new Date(createdAt).toISOString() },
          ),
          json,
        );
      }),
    );

  command
    .command('rotate-secret')
    .description('give a game a new secret; the old one goes on working for a while')
    .requiredOption('--game <id>', 'the game')
    .option('--grace <minutes>', 'how long earlier secrets go on working', parsed(minutes), 60)
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  gantry game rotate-secret --game 0198… --grace 1440')
    .action(({ game, grace, json }: { game: string; grace: number; json?: boolean }) =>
      withWorkspace(async ({ store, box }) => {
        const gameSecret = newGameSecret();
        await store.games.rotateSecret(game, box.sealSecret(gameSecret), grace * 60_000);
        print({ gameId: game, gameSecret }, json);
      }),
    );

  return command;
}
