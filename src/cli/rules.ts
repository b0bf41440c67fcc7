import { readFile } from 'node:fs/promises';
import { Command } from 'commander';
import { GantryError } from '../errors.ts';
import { ruleList } from '../rules/rule.ts';
import { print } from './output.ts';
import { withWorkspace } from './with-workspace.ts';

export function rulesCommand(): Command {
  const command = new Command('rules').description('read and set the rules of a game');

  command
    .command('get')
    .description("print a game's rules as JSON, in the form that `set` reads")
    .requiredOption('--game <id>', 'the game')
    .option('--json', 'print {version, rules}')
    .addHelpText('after', '\nExample:\n  gantry rules get --game 0198… > rules.json')
    .action(({ game, json }: { game: string; json?: boolean }) =>
      withWorkspace(async ({ store }) => {
        if (!(await store.games.find(game)))
          throw new GantryError('game_unknown', `There is no game ${game}`);
        const { version, rules } = await store.rules.get(game);
        process.stdout.write(
          `${json ? JSON.stringify({ version, rules }) : JSON.stringify(rules, null, 2)}\n`,
        );
      }),
    );

  command
    .command('set <file>')
    .description("replace a game's rules with those in a JSON file")
    .requiredOption('--game <id>', 'the game')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  gantry rules set rules.json --game 0198…')
    .action((file: string, { game, json }: { game: string; json?: boolean }) =>
      withWorkspace(async ({ store }) => {
        const { version, rules } = await store.rules.set(game, await readRules(file));
        print({ gameId: game, version, rules: rules.length }, json);
      }),
    );

  return command;
}

/** @throws GantryError `rule_invalid`, saying where in the file and what */
async function readRules(file: string) {
  let content: unknown;
  try {
    content = JSON.parse(await readFile(file, 'utf8'));
  } catch (error) {
    throw new GantryError(
      'rule_invalid',
      `${file} cannot be read as JSON: ${error instanceof Error ? error.message : error}`,
    );
  }
  const result = ruleList.safeParse(content);
  if (result.success) return result.data;
  const problems = result.error.issues.map(
    ({ path, message }) => `  ${path.join('.') || 'rules'}: ${message}`,
  );
  throw new GantryError('rule_invalid', `${file} was not stored:\n${problems.join('\n')}`);
}
