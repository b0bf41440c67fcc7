import { execFile } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../support/server.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const sdks = fileURLToPath(new URL('../../public/sdk', import.meta.url));

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server?.[Symbol.asyncDispose]());

test.each(['typescript', 'csharp', 'gdscript', 'python'])(
  '/sdk/%s.zip contains every file of the SDK',
  async (language) => {
    const response = await fetch(`${server.url}/sdk/${language}.zip`);
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/zip']);
    await using folder = await temporaryDirectory();
    const archive = join(folder.path, 'sdk.zip');
    await writeFile(archive, Buffer.from(await response.arrayBuffer()));
    // Python's standard library: a different implementation from the one that created it.
    await promisify(execFile)('python3', ['-m', 'zipfile', '-e', archive, join(folder.path, 'out')]);
    const names = await filesIn(join(sdks, language));
    expect(names.length).toBeGreaterThan(2);
    expect(await filesIn(join(folder.path, 'out'))).toEqual(names);
    for (const name of names) {
      const sent = await readFile(join(folder.path, 'out', name), 'utf8');
      expect(sent, name).toBe(await readFile(join(sdks, language, name), 'utf8'));
    }
  },
);

test('an archive is unchanged while its files are; an unknown SDK has none', async () => {
  const [one, other] = await Promise.all([1, 2].map(() => fetch(`${server.url}/sdk/python.zip`)));
  expect(one?.headers.get('etag')).toMatch(/^"\w+"$/);
  expect(other?.headers.get('etag')).toBe(one?.headers.get('etag'));
  expect((await fetch(`${server.url}/sdk/cobol.zip`)).status).toBe(404);
});

async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && !entry.parentPath.includes('__pycache__'))
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .toSorted();
}
