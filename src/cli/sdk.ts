import { join, resolve } from 'node:path';
import { Argument, Command } from 'commander';
import { readConfig } from '../config.ts';
import { openAssets } from '../pages/open-assets.ts';
import { refuseDataDirectory } from '../server/backup/output-file.ts';
import { writeAssets } from './write-assets.ts';

const languages = ['typescript', 'csharp', 'gdscript', 'python'];

export function sdkCommand(): Command {
  return new Command('sdk')
    .description('write the SDK of a language into a directory, to build a game with')
    .addArgument(new Argument('<language>', 'which SDK').choices(languages))
    .requiredOption(
      '--out <directory>',
      'target directory; created if missing, and existing files are overwritten',
    )
    .option('--json', 'print the files as JSON')
    .addHelpText('after', '\nExample:\n  gantry sdk python --out ./vendor')
    .action(async (language: string, { out, json }: { out: string; json?: boolean }) => {
      const directory = resolve(out);
      refuseDataDirectory(directory, readConfig().dataDirectory);
      const names = await writeAssets(openAssets(), directory, `sdk/${language}/`);
      if (names.length === 0) throw new Error(`This build does not include the SDK for ${language}`);
      const files = names.map((name) => join(directory, name));
      process.stdout.write(json ? `${JSON.stringify({ language, files })}\n` : `${files.join('\n')}\n`);
    });
}
