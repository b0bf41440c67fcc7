import { readFile } from 'node:fs/promises';
import { Command } from 'commander';
import type { z } from 'zod';
import { GantryError } from '../errors.ts';
import { getRules } from '../operations/admin/get-rules.ts';
import { setRules } from '../operations/admin/set-rules.ts';
import { testRules } from '../operations/admin/test-rules.ts';
import { ruleList } from '../rules/rule.ts';
import { asAdministrator } from './as-administrator.ts';
import { parsed, wholeNumber } from './option-parsers.ts';
import { print } from './output.ts';

interface TestOptions {
  game: string;
  wallet: string;
  trigger: string;
  value?: number;
  json?: boolean;
}

export function rulesCommand(): Command {
  const command = new Command('rules').description('read and set the rules of a game');

  command
    .command('get')
    .description("print a game's rules as JSON, in the form that `set` reads")
    .requiredOption('--game <id>', 'the game')
    .option('--json', 'print {version, rules}')
    .addHelpText('after', '\nExample:\n  gantry rules get --game 0198… > rules.json')
    .action(async ({ game: gameId, json }: { game: string; json?: boolean }) => {
      const { version, rules } = await asAdministrator(getRules, { gameId });
      process.stdout.write(`${json ? JSON.stringify({ version, rules }) : JSON.stringify(rules, null, 2)}\n`);
    });

  command
    .command('set <file>')
    .description("replace a game's rules with those in a JSON file")
    .requiredOption('--game <id>', 'the game')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  gantry rules set rules.json --game 0198…')
    .action(async (file: string, { game: gameId, json }: { game: string; json?: boolean }) => {
      const rules = ruleList.safeParse(await readJson(file));
      if (!rules.success) throw notStored(file, rules.error);
      const stored = await asAdministrator(setRules, { gameId, rules: rules.data });
      print({ gameId, version: stored.version, rules: stored.rules.length }, json);
    });

  command
    .command('test <file>')
    .description('say which actions of the rules in a file a trigger would run, and why not the others')
    .requiredOption('--game <id>', 'the game')
    .requiredOption('--wallet <address>', 'the player')
    .requiredOption('--trigger <name>', 'the trigger')
    .option('--value <number>', 'the value sent with it', parsed(wholeNumber))
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nExample:\n  gantry rules test rules.json --game 0198… --wallet 0xab… --trigger win --value 7',
    )
    .action(async (file: string, { game: gameId, json, ...given }: TestOptions) => {
      const rules = ruleList.safeParse(await readJson(file));
      if (!rules.success) throw notStored(file, rules.error);
      const { actions } = await asAdministrator(testRules, { gameId, ...given, rules: rules.data });
      const shown = actions.map(({ rule, action, type, fires, why }) => ({
        action: `rules.${rule}.actions.${action}`,
        type,
        fires: fires ? 'yes' : 'no',
        why: why ?? '',
      }));
      print(json ? actions : shown, json);
    });

  return command;
}

/** @throws GantryError `rule_invalid` */
async function readJson(file: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, 'utf8'));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new GantryError('rule_invalid', `${file} cannot be read as JSON: ${why}`);
  }
}

/** Says where in the file what is wrong. */
function notStored(file: string, error: z.ZodError): GantryError {
  const problems = error.issues.map(({ path, message }) => `  ${path.join('.') || 'rules'}: ${message}`);
  return new GantryError('rule_invalid', `${file} was not stored:\n${problems.join('\n')}`);
}
