import { Command } from 'commander';
import { adminCommand } from './cli/admin.ts';
import { gameCommand } from './cli/game.ts';
import { keyCommand } from './cli/key.ts';
import { rulesCommand } from './cli/rules.ts';
import { serveCommand } from './cli/serve.ts';
import { tokenCommand } from './cli/token.ts';
import { ConfigError } from './config.ts';
import { GantryError } from './errors.ts';
import { SchemaTooNewError } from './store/schema-too-new.ts';

const program = new Command('gantry')
  .description('A self-hosted backend for games that run inside a launcher')
  .addHelpText(
    'after',
    '\nSettings are environment variables; README.md lists them. DATA_DIR is where the data is kept.',
  )
  .addCommand(serveCommand())
  .addCommand(gameCommand())
  .addCommand(tokenCommand())
  .addCommand(rulesCommand())
  .addCommand(keyCommand())
  .addCommand(adminCommand());

try {
  await program.parseAsync();
} catch (error) {
  // What the user can mend is said in a sentence; only a defect of ours shows its stack.
  const expected =
    error instanceof ConfigError || error instanceof GantryError || error instanceof SchemaTooNewError;
  process.stderr.write(
    `${expected ? error.message : error instanceof Error ? error.stack : String(error)}\n`,
  );
  process.exitCode = 1;
}
