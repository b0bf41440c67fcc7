import { writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { Command } from 'commander';
import { readConfig } from '../config.ts';
import { openAssets } from '../pages/open-assets.ts';
import { SdkArchives } from '../pages/sdk-archives.ts';
import { makeDirectory } from '../runtime/make-directory.ts';
import { refuseDataDirectory } from '../server/backup/output-file.ts';
import { openApiText } from './openapi.ts';
import { httpUrl, parsed } from './options.ts';

export function docsCommand(): Command {
  return new Command('docs')
    .description('write the manual as a static site, which any file server can serve at any path')
    .requiredOption(
      '--out <directory>',
      'target directory; created if missing, and existing files are overwritten',
    )
    .option('--base <url>', 'URL of the site, for absolute links in llms.txt', parsed(httpUrl))
    .option('--json', 'print the files as JSON')
    .addHelpText('after', '\nExample:\n  gantry docs --out ./site --base https://docs.example/gantry/')
    .action(async ({ out, base, json }: { out: string; base?: URL; json?: boolean }) => {
      refuseDataDirectory(resolve(out), readConfig().dataDirectory);
      // The Markdown renderer is not loaded for other commands.
      const { staticManual } = await import('../pages/static-manual.ts');
      const folder = base?.href.replace(/\/?$/, '/');
      const site = await staticManual(new SdkArchives(openAssets()), openApiText(), folder);
      const files: string[] = [];
      for (const [path, content] of site) {
        const file = join(resolve(out), path);
        makeDirectory(dirname(file));
        await writeFile(file, content);
        files.push(file);
      }
      process.stdout.write(
        json ? `${JSON.stringify({ files })}\n` : `${files.length} files in ${resolve(out)}\n`,
      );
    });
}
