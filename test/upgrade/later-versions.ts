import { mkdir, mkdtemp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Plugin } from 'esbuild';
import { schemaVersion } from '../../src/engines/postgres/migrate.ts';
import { compile, programFiles, writeCompiled } from '../support/compiled-program.ts';
import { testCache } from '../support/test-cache.ts';

const imports =
  "import { contract as contractLater, expand as expandLater } from '../../core/storage/migrations.ts';";

/** Steps of the versions after this one, as code in `migrate.ts`: the first expands, the second contracts. */
const steps = [
  `...expandLater({
    titles: "ALTER TABLE messages ADD COLUMN title text NOT NULL DEFAULT ''; ALTER TABLE scores ADD COLUMN title text;"
      + "ALTER TABLE streams ADD COLUMN title text; CREATE INDEX players_by_creation ON players (created_at);"
      + "CREATE TABLE titles (wallet text PRIMARY KEY, title text NOT NULL)",
  }),`,
  `...contractLater(${schemaVersion + 1}, { noCreationOrder: 'DROP INDEX players_by_creation' }),`,
] as const;

/**
 * Builds this source with `ahead` more migrations on PostgreSQL, as the version that many releases later has them;
 * returns what Node runs as `gantry`. The next run of the tests a day later removes it.
 */
export async function buildVersion(ahead: number): Promise<string> {
  await mkdir(testCache, { recursive: true });
  const folder = await mkdtemp(join(testCache, 'later-'));
  const later: Plugin = {
    name: 'later-version',
    setup({ onLoad }) {
      onLoad({ filter: /postgres[\\/]migrate\.ts$/ }, async ({ path }) => {
        const text = await readFile(path, 'utf8');
        const contents = text.replace(
          /(?<=\nexport const migrations.*?)\n\];/s,
          `\n${steps.slice(0, ahead).join('\n')}\n];`,
        );
        if (contents === text) throw new Error('the list of migrations was not found');
        return { loader: 'ts', contents: `${imports}\n${contents}` };
      });
    },
  };
  await writeCompiled(folder, await compile(programFiles, [later]));
  return join(folder, 'gantry.js');
}
