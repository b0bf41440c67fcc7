import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { Argument, Command } from 'commander';
import { openAssets } from '../pages/open-assets.ts';

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
      const folder = `sdk/${language}/`;
      const assets = openAssets();
      const files: string[] = [];
      for (const name of assets.names().filter((one) => one.startsWith(folder))) {
        const bytes = await assets.read(name);
        if (bytes === null) continue;
        const file = join(resolve(out), name.slice(folder.length));
        await mkdir(dirname(file), { recursive: true });
        await writeFile(file, bytes);
        files.push(file);
      }
      if (files.length === 0) throw new Error(`This build does not include the SDK for ${language}`);
      process.stdout.write(json ? `${JSON.stringify({ language, files })}\n` : `${files.join('\n')}\n`);
    });
}
