import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { repository } from '../support/gantry-process.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { noPackage, packageDirectory } from './basement-package.ts';

test.skipIf(noPackage !== null)(
  'results compile against the types that the npm package declares',
  async () => {
    await using directory = await temporaryDirectory();
    const project = join(directory.path, 'tsconfig.json');
    const client = join(packageDirectory, 'node_modules/@b3dotfun/basement-api/lib/client.d.ts');
    const config = {
      extends: join(repository, 'tsconfig.json'),
      compilerOptions: {
        // The package was not written for it.
        exactOptionalPropertyTypes: false,
        rootDir: '/',
        typeRoots: [join(repository, 'node_modules/@types')],
        paths: { '@b3dotfun/basement-api': [client] },
      },
      include: [],
      exclude: [],
      files: [join(repository, 'test/compat/package-types/answers.ts')],
    };
    await writeFile(project, JSON.stringify(config));
    const output = await new Promise<string>((resolve) => {
      execFile(join(repository, 'node_modules/.bin/tsc'), ['-p', project], (_error, stdout) =>
        resolve(stdout),
      );
    });
    expect(output).toBe('');
  },
);
