import { Command } from 'commander';
import { removeScore } from '../features/scores/operations/scores.ts';
import type { Administrator } from './administrator.ts';
import { print } from './output.ts';

export function scoreCommand(administrator: Administrator): Command {
  const command = new Command('score').description('remove scores');

  command
    .command('remove <score>')
    .description('remove a score and update the leaderboard')
    .requiredOption('--game <game>', 'game ID or slug')
    .addHelpText('after', '\nExample:\n  gantry score remove 0198… --game space-race')
    .action(async (scoreId: string, { game, json }: { game: string; json?: boolean }) => {
      const gameId = await administrator.gameId(game);
      await administrator.execute(removeScore, { gameId, scoreId });
      print({ gameId, scoreId, removed: true }, json);
    });
  return command;
}
