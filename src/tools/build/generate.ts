import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { builtFiles, declaredFiles } from './generated-files.ts';

// `npm run generate`: regenerates the files derived from the declarations: the generated files of every SDK, and the
// tables in the documents. A test fails while any of them is stale.

const repository = fileURLToPath(new URL('../../..', import.meta.url));

await writeChanged(await declaredFiles());
await writeChanged(await builtFiles()); // built from the files written before

async function writeChanged(files: Record<string, string>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    const file = join(repository, path);
    if ((await readFile(file, 'utf8').catch(() => null)) === text) continue;
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
    process.stdout.write(`${path}\n`);
  }
}
