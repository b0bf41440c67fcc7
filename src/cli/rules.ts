import { readFile } from 'node:fs/promises';
import { Command } from 'commander';
import type { z } from 'zod';
import { GantryError } from '../core/errors.ts';
import { describeIssue } from '../core/schemas/describe-issue.ts';
import { refuseRoundedText } from '../core/schemas/rounded-number.ts';
import { getRules, setRules, testRules } from '../features/rules/operations/rules.ts';
import { submittedRules } from '../features/rules/rule-bounds.ts';
import { codeOf } from '../runtime/error-code.ts';
import type { Administrator } from './administrator.ts';
import { integer, parsed, signedDecimal } from './options.ts';
import { print, printList } from './output.ts';

interface SetOptions {
  game: string;
  ifVersion?: number;
  json?: boolean;
}

interface TestOptions {
  game: string;
  wallet: string;
  trigger: string;
  value?: number;
  json?: boolean;
}

export function rulesCommand(administrator: Administrator): Command {
  const command = new Command('rules').description('read, replace and test the rules of a game');

  command
    .command('get')
    .description("print a game's rules as JSON, in the format that `set` reads")
    .requiredOption('--game <game>', 'game ID or slug')
    .option('--json', 'print {version, rules}')
    .addHelpText('after', '\nExample:\n  gantry rules get --game 0198… > rules.json')
    .action(async ({ game, json }: { game: string; json?: boolean }) => {
      const gameId = await administrator.gameId(game);
      const { version, rules } = await administrator.execute(getRules, { gameId });
      process.stdout.write(`${json ? JSON.stringify({ version, rules }) : JSON.stringify(rules, null, 2)}\n`);
    });

  command
    .command('set <file>')
    .description("replace a game's rules with those in a JSON file")
    .requiredOption('--game <game>', 'game ID or slug')
    .option('--if-version <number>', 'only if the stored rules still have this version', parsed(integer))
    .addHelpText('after', '\nExample:\n  gantry rules set rules.json --game 0198…')
    .action(async (file: string, { game, ifVersion: version, json }: SetOptions) => {
      const rules = await readRules(file);
      const gameId = await administrator.gameId(game);
      const stored = await administrator.execute(setRules, { gameId, rules, version });
      print({ gameId, version: stored.version, rules: stored.rules.length }, json);
    });

  command
    .command('test <file>')
    .description('show which actions of the rules in a file a trigger would run, without running them')
    .requiredOption('--game <game>', 'game ID or slug')
    .requiredOption('--wallet <address>', 'wallet of the player')
    .requiredOption('--trigger <name>', 'trigger name')
    .option('--value <number>', 'value sent with the trigger', parsed(signedDecimal))
    .addHelpText(
      'after',
      '\nExample:\n  gantry rules test rules.json --game 0198… --wallet 0xab… --trigger win --value 7',
    )
    .action(async (file: string, { game, json, ...given }: TestOptions) => {
      const rules = await readRules(file);
      const gameId = await administrator.gameId(game);
      const { actions } = await administrator.execute(testRules, { gameId, ...given, rules });
      printList(actions, json, ({ rule, action, type, fires, why }) => ({
        action: `rules.${rule}.actions.${action}`,
        type,
        fires: fires ? 'yes' : 'no',
        why: why ?? '',
      }));
    });

  return command;
}

/** @throws GantryError `rule_invalid`, which lists all problems with their paths */
async function readRules(file: string): Promise<z.output<typeof submittedRules>> {
  let value: unknown;
  try {
    const text = await readFile(file, 'utf8');
    value = JSON.parse(text);
    refuseRoundedText(text, 'rules');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') throw new GantryError('rule_invalid', `There is no file ${file}`);
    const why = error instanceof Error ? error.message : String(error);
    throw new GantryError('rule_invalid', `${file} cannot be read as JSON: ${why}`);
  }
  const rules = submittedRules.safeParse(value, { error: describeIssue });
  if (rules.success) return rules.data;
  const problems = rules.error.issues.map(
    ({ path, message }) => `  ${path.join('.') || 'rules'}: ${message}`,
  );
  throw new GantryError('rule_invalid', `${file} was not saved:\n${problems.join('\n')}`);
}
