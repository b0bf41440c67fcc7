import { readdir, rm } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { Argument, Command, Option } from 'commander';
import { ConfigError } from '../core/config-error.ts';
import { updateGame } from '../features/administration/operations/games.ts';
import { gameName } from '../features/games/game.ts';
import { createGame, listGames } from '../features/games/operations/games.ts';
import { openAssets } from '../pages/open-assets.ts';
import { makeDirectory } from '../runtime/make-directory.ts';
import { type Administrator, gameAmong } from './administrator.ts';
import { httpUrl, parsed } from './options.ts';
import { writeAssets } from './write-assets.ts';

interface Template {
  /** Which assets are written, by the prefix of their names, and what replaces it. */
  files: readonly (readonly [prefix: string, place: string])[];
  /** Of the address where the game is played while it is developed, if that is in a browser. */
  port?: number;
  /** What to do in the directory, in order; after a `#`, what then happens. */
  next: readonly string[];
}

const browserFiles = [
  ['templates/browser/', ''],
  ['sdk/typescript/client', 'gantry/client'],
] as const;

const templates: Readonly<Record<string, Template>> = {
  phaser: {
    files: [...browserFiles, ['templates/phaser/', '']],
    port: 5173,
    next: ['npm install', 'npm run dev  # play at http://127.0.0.1:5173'],
  },
  vanilla: {
    files: [...browserFiles, ['templates/vanilla/', '']],
    port: 8080,
    next: ['node serve.mjs  # play at http://127.0.0.1:8080'],
  },
  godot: {
    files: [
      ['templates/godot/', ''],
      ['sdk/gdscript/addons/', 'addons/'],
    ],
    next: ['godot --editor  # press F5 to play'],
  },
  unity: {
    files: [
      ['templates/unity/', ''],
      ['sdk/csharp/', 'Packages/com.gantry.client/'],
    ],
    next: ['# add the directory to Unity Hub, open it, and press Play'],
  },
  'python-bot': {
    files: [
      ['templates/python-bot/', ''],
      ['sdk/python/gantry/', 'gantry/'],
      ['sdk/python/LICENSE', 'gantry/LICENSE'],
    ],
    next: ['pip install -r requirements.txt', 'python3 bot.py'],
  },
};

/** What the templates contain where the server's address and the game's id belong. */
const placeholders = { url: 'http://127.0.0.1:3000', game: 'YOUR_GAME' };

interface NewOptions {
  url?: URL;
  game?: string;
  name?: string;
}

export function newCommand(administrator: Administrator): Command {
  return new Command('new')
    .description('write a small complete game into a new directory, and create the game it plays in')
    .addArgument(new Argument('<template>', 'which game').choices(Object.keys(templates)))
    .argument('<directory>', 'where to write it: missing or empty')
    .option('--url <url>', `the server that the game calls; default: ${placeholders.url}`, parsed(httpUrl))
    .addOption(
      new Option('--game <game>', 'a game to use, by ID or slug, instead of a new one').conflicts('name'),
    )
    .option('--name <name>', 'name of the new game; default: the name of the directory', parsed(gameName))
    .addHelpText('after', '\nExample:\n  gantry new vanilla ../falling-stars')
    .action(
      async (kind: string, directory: string, { json, ...options }: NewOptions & { json?: boolean }) => {
        const template = templates[kind];
        if (!template) throw new Error(`There is no template ${kind}`);
        const target = resolve(directory);
        const made = makeDirectory(target);
        if ((await readdir(target)).length > 0)
          throw new ConfigError(`${target} is not empty. Choose a new directory, or an empty one.`);
        const url = (options.url ?? administrator.url)?.origin ?? placeholders.url;
        const named = { name: basename(target), ...options };
        const gameId = await gameOf(administrator, addressesOf(template), named).catch(async (error) => {
          if (made !== undefined) await rm(made, { recursive: true });
          throw error;
        });
        const edit = (text: string) =>
          text.replaceAll(placeholders.url, url).replaceAll(placeholders.game, gameId);
        const assets = openAssets();
        const files: string[] = [];
        for (const [prefix, place] of template.files) {
          const isOurs = prefix.startsWith('templates/');
          files.push(...(await writeAssets(assets, target, prefix, place, isOurs ? edit : undefined)));
        }
        const steps = [`cd "${directory}"`, ...template.next];
        process.stdout.write(
          json
            ? `${JSON.stringify({ directory: target, gameId, url, files })}\n`
            : `${files.length} files in ${target}, for the game ${gameId} at ${url}\n\n` +
                `Next, while Gantry is running:\n${steps.map((step) => `  ${step}\n`).join('')}`,
        );
      },
    );
}

/** Where a template's game is played while it is developed. */
function addressesOf({ port }: Template): string[] {
  return port === undefined ? [] : [`http://127.0.0.1:${port}`, `http://localhost:${port}`];
}

/** The id of the game: a new one, or the given one, whose pages at `origins` may call it. */
async function gameOf(
  administrator: Administrator,
  origins: string[],
  { name, game }: { name: string; game?: string },
): Promise<string> {
  if (game === undefined) {
    const [url] = origins;
    return (
      await administrator.execute(createGame, {
        name,
        allowedOrigins: origins,
        ...(url && { url: `${url}/` }),
      })
    ).gameId;
  }
  const { games } = await administrator.execute(listGames, {});
  const { gameId, allowedOrigins } = gameAmong(games, game);
  const isOpen = allowedOrigins.length === 0 || origins.every((origin) => allowedOrigins.includes(origin));
  if (!isOpen) {
    const changed = [...new Set([...allowedOrigins, ...origins])];
    await administrator.execute(updateGame, { gameId, allowedOrigins: changed });
  }
  return gameId;
}
