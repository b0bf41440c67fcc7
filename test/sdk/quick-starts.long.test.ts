import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { documents } from '../docs/documents.ts';
import { gantry } from '../support/gantry-process.ts';
import { startTestServer } from '../support/server.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { until } from '../support/until.ts';
import { monoMissing } from './csharp-driver.ts';
import { pythonDriver } from './drivers.ts';
import { GodotProject, scriptFor } from './godot-project.ts';
import { godots } from './godots.ts';

/** The block of a page that is marked with this name after its language. */
function block(page: string, name: string): string {
  const marked = new RegExp(`^\`\`\`\\w+ ${RegExp.escape(name)}\\n(.*?)^\`\`\`$`, 'ms');
  const [, text] = marked.exec(documents.get(`public/docs/${page}.md`) ?? '') ?? [];
  if (text === undefined) throw new Error(`${page} has no ${name}`);
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
  const { gameId } = await server.createGame({ slug: 'godot-game' });
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
    await until('what it prints', () => missing().length === 0).catch(() => undefined);
    expect(missing(), output).toEqual([]);
  } finally {
    child.kill();
    await gone;
  }
}

test('the quick start for Node works as described', async () => {
  const text = block('sdks', 'quick-start.mjs');
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

test('the bot in Python works as described', async ({ skip }) => {
  skip(pythonDriver.missing !== null, pythonDriver.missing ?? '');
  const text = block('first-python-game', 'quick-start-asyncio.py');
  expect(text.trim().split('\n').length).toBeLessThanOrEqual(12);
  await holdQuickStart(
    text,
    async ({ file, folder, gameId }) => {
      expect((await gantry(['sdk', 'python', '--out', folder])).code).toBe(0);
      const { command } = await pythonDriver.prepare(folder);
      return spawn(command, ['-B', file, gameId], { cwd: folder });
    },
    'quick-start-asyncio.py',
  );
});

test('the quick start for C# works as described', async ({ skip }) => {
  skip(monoMissing !== null, monoMissing ?? '');
  const text = block('first-unity-game', 'quick-start.cs');
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

test.for(godots)('the first Godot game works as described, in $name', async (godot, { skip }) => {
  skip(godot.missing !== null, godot.missing ?? '');
  await holdQuickStart(
    scriptFor(godot, block('first-godot-game', 'first-game.gd')),
    async ({ file, folder }) => {
      expect((await gantry(['sdk', 'gdscript', '--out', folder])).code).toBe(0);
      const { project } = await GodotProject.open(folder, godot);
      return project.run(`load("res://${file}").new()`, {
        steps: [
          'var shown = node.news.text + "\\nboard: " + node.board.text.strip_edges()',
          'if not node.has_meta("shown") or node.get_meta("shown") != shown: print(shown)',
          'node.set_meta("shown", shown)',
          'if node.client.status == "live" and node.points < 300: node._score()',
        ],
      });
    },
    'first-game.gd',
    [/^You are \w+ \w+$/m, /^board: 1\. \w+ \w+: 300$/m, /^Three hundred!$/m],
  );
});

test('the three lines of each language are three lines', () => {
  const three = [
    ...(documents.get('public/docs/sdks.md') ?? '').matchAll(/^```\w+ three-lines\n(.*?)^```$/gms),
  ].map(([, text = '']) => text);
  expect(three.length).toBe(4);
  for (const text of three) expect(text.trim().split('\n').length, text).toBeLessThanOrEqual(3);
});
