import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { gantry, repository } from '../support/gantry-process.ts';
import { startTestServer } from '../support/server.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { until } from '../support/until.ts';
import { monoMissing } from './csharp-driver.ts';
import { pythonDriver } from './drivers.ts';
import { gdscriptDriver } from './gdscript-driver.ts';
import { Godot3Project } from './godot3-project.ts';

const page = await readFile(join(repository, 'public/docs/sdks.md'), 'utf8');

/** The block of the page that is marked with this name after its language. */
function block(name: string): string {
  const [, text] = new RegExp(`^\`\`\`\\w+ ${RegExp.escape(name)}\\n(.*?)^\`\`\`$`, 'ms').exec(page) ?? [];
  if (text === undefined) throw new Error(`the page about SDKs has no ${name}`);
  return text;
}

const scoreAndNotification = [/^score: 1200$/m, /^notification: You won a hat$/m];

/** Runs a quick start against a separate server, until it has printed the page's expected output. */
async function holdQuickStart(
  text: string,
  run: (parts: { file: string; folder: string; gameId: string }) => Promise<ChildProcess>,
  file: string,
  prints: readonly RegExp[] = [...scoreAndNotification, /^leaderboard: \[ ?1200 ?\]$/m],
): Promise<void> {
  await using server = await startTestServer();
  await using folder = await temporaryDirectory();
  const { gameId } = await server.createGame();
  const here = text.replaceAll('http://127.0.0.1:3000', server.url).replaceAll('YOUR_GAME_ID', gameId);
  await writeFile(join(folder.path, file), here);
  const child = await run({ file, folder: folder.path, gameId });
  let output = '';
  child.stdout?.on('data', (part) => {
    output += part;
  });
  child.stderr?.on('data', (part) => {
    output += part;
  });
  const gone = once(child, 'close');
  try {
    const missing = () => prints.filter((line) => !line.test(output)).map(String);
    await until('what it prints', () => missing().length === 0, 20_000).catch(() => undefined);
    expect(missing(), output).toEqual([]);
  } finally {
    child.kill();
    await gone;
  }
}

test('the quick start for Node works as described', { timeout: 60_000 }, async () => {
  const text = block('quick-start.mjs');
  expect(text.trim().split('\n').length).toBeLessThanOrEqual(10);
  await holdQuickStart(
    text,
    async ({ file, folder, gameId }) => {
      const { code } = await gantry([
        'sdk',
        'typescript',
        '--out',
        join(folder, 'node_modules/gantry-client'),
      ]);
      expect(code).toBe(0);
      return spawn(process.execPath, [file, gameId], { cwd: folder });
    },
    'quick-start.mjs',
  );
});

test.for(['quick-start.py', 'quick-start-asyncio.py'])(
  '%s works as described',
  {
    timeout: 60_000,
  },
  async (name, { skip }) => {
    skip(pythonDriver.missing !== null, pythonDriver.missing ?? '');
    const text = block(name);
    expect(text.trim().split('\n').length).toBeLessThanOrEqual(12);
    await holdQuickStart(
      text,
      async ({ file, folder, gameId }) => {
        const written = await gantry(['sdk', 'python', '--out', folder]);
        expect(written.code).toBe(0);
        const { command } = await pythonDriver.prepare(folder);
        return spawn(command, ['-B', file, gameId], { cwd: folder });
      },
      name,
    );
  },
);

test('the quick start for C# works as described', { timeout: 60_000 }, async ({ skip }) => {
  skip(monoMissing !== null, monoMissing ?? '');
  const text = block('quick-start.cs');
  expect(text.trim().split('\n').length).toBeLessThanOrEqual(10);
  await holdQuickStart(
    text,
    async ({ file, folder, gameId }) => {
      expect((await gantry(['sdk', 'csharp', '--out', join(folder, 'sdk')])).code).toBe(0);
      const sources = ['-r:System.Net.Http.dll', '-out:quick-start.exe', '-recurse:sdk/*.cs', file];
      await promisify(execFile)('mcs', sources, { cwd: folder });
      return spawn('mono', ['quick-start.exe', gameId], { cwd: folder });
    },
    'quick-start.cs',
  );
});

test('the quick start for Godot 3 works as described', { timeout: 60_000 }, async ({ skip }) => {
  skip(gdscriptDriver.missing !== null, gdscriptDriver.missing ?? '');
  const text = block('quick-start-godot3.gd');
  expect(text.trim().split('\n').length).toBeLessThanOrEqual(10);
  expect(block('quick-start-godot4.gd').trim().split('\n').length).toBeLessThanOrEqual(10);
  await holdQuickStart(
    text,
    async ({ file, folder }) => {
      expect((await gantry(['sdk', 'gdscript', '--out', folder])).code).toBe(0);
      const { project } = await Godot3Project.open(folder);
      return project.run(`load("res://${file}").new()`);
    },
    'quick-start-godot3.gd',
    scoreAndNotification,
  );
});

test('the three lines of each language are three lines', () => {
  const three = [...page.matchAll(/^```\w+ three-lines\n(.*?)^```$/gms)].map(([, text = '']) => text);
  expect(three.length).toBe(4);
  for (const text of three) expect(text.trim().split('\n').length, text).toBeLessThanOrEqual(3);
});
