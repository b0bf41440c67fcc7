import { Command } from 'commander';
import { getGameScoresLeaderboard } from '../scores/operations/get-game-scores-leaderboard.ts';
import type { Administrator } from './administrator.ts';
import { integer, parsed } from './option-parsers.ts';
import { print } from './output.ts';

interface Options {
  game: string;
  limit: number;
  skip: number;
  json?: boolean;
}

export function leaderboardCommand(administrator: Administrator): Command {
  return new Command('leaderboard')
    .description("print a game's leaderboard")
    .requiredOption('--game <game>', 'game ID or slug')
    .option('--limit <count>', 'maximum number of results', parsed(integer), 50)
    .option('--skip <count>', 'number of results to skip', parsed(integer), 0)
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  gantry leaderboard --game space-race --limit 10')
    .action(async ({ game, json, ...page }: Options) => {
      const gameId = await administrator.gameId(game);
      const { leaderboard } = await administrator.execute(getGameScoresLeaderboard, { gameId, ...page });
      const shown = leaderboard.map(({ _id, normalizedAddress, username, score, updatedAt }, index) => ({
        '#': page.skip + index + 1,
        score,
        username,
        wallet: normalizedAddress,
        scoreId: _id,
        updated: new Date(updatedAt).toISOString(),
      }));
      print(json ? leaderboard : shown, json);
    });
}
