import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createLeaderboard } from '../../src/features/scores/operations/leaderboards.ts';
import { pythonDriver } from '../sdk/drivers.ts';
import { overHttp } from '../support/administration.ts';
import { gantry } from '../support/gantry-process.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { type TemporaryDirectory, temporaryDirectory } from '../support/temporary-directory.ts';
import { documents } from './documents.ts';

const run = promisify(execFile);

/** What each guide's examples print, in every language. */
const guides: readonly { page: string; prints: readonly RegExp[] }[] = [
  { page: 'cloud-saves', prints: [/^level 2$/m, /^saved elsewhere: load it, merge it, and save again$/m] },
  { page: 'weekly-leaderboard', prints: [/^1\. \w+ \w+ 1200$/m, /^my place: 1$/m] },
  { page: 'chat', prints: [/^1 messages$/m] },
];

let server: TestServer;
let folder: TemporaryDirectory;
let gameId: string;
beforeAll(async () => {
  server = await startTestServer();
  folder = await temporaryDirectory();
  await gantry(['sdk', 'typescript', '--out', join(folder.path, 'node_modules/gantry-client')]);
  await gantry(['sdk', 'python', '--out', folder.path]);
});
afterAll(async () => {
  await server.close();
  await folder[Symbol.asyncDispose]();
});

/** The examples of a page in a language, one after another, as a reader would put them into one program. */
function examples(page: string, language: string): string {
  const text = documents.get(`public/docs/${page}.md`) ?? '';
  const blocks = [...text.matchAll(/^```(\w+) guide\n(.*?)^```$/gms)];
  const own = blocks.flatMap(([, of, code = '']) => (of === language ? [code] : []));
  expect(own.length, `${page} in ${language}`).toBe(blocks.filter(([, of]) => of === 'js').length);
  return own.join('\n').replaceAll('demo-game', gameId);
}

test.each(guides)('the examples of $page run in JavaScript', async ({ page, prints }) => {
  await prepare();
  const program = `import { connect } from 'gantry-client';
const client = await connect({ url: '${server.url}', game: '${gameId}' });
const other = await connect({ url: '${server.url}', game: '${gameId}' });
${examples(page, 'js')}
client.close();
other.close();
`;
  const file = join(folder.path, `${page}.mjs`);
  await writeFile(file, program);
  const { stdout } = await run(process.execPath, [file], { timeout: 30_000 });
  for (const printed of prints) expect(stdout).toMatch(printed);
});

test.for(guides)('the examples of $page run in Python', async ({ page, prints }, { skip }) => {
  skip(pythonDriver.missing !== null, pythonDriver.missing ?? '');
  await prepare();
  const program = `import json, gantry
client = gantry.connect("${server.url}", game="${gameId}")
other = gantry.connect("${server.url}", game="${gameId}")
${examples(page, 'python')}
client.close()
other.close()
`;
  const file = join(folder.path, `${page.replaceAll('-', '_')}.py`);
  await writeFile(file, program);
  const { command } = await pythonDriver.prepare(folder.path);
  const { stdout } = await run(command, ['-B', file], { timeout: 30_000 });
  for (const printed of prints) expect(stdout).toMatch(printed);
});

/** Creates a separate game for each example. */
async function prepare(): Promise<void> {
  ({ gameId } = await server.createGame());
  await overHttp(server).call(createLeaderboard, { gameId, name: 'weekly-race' });
}
