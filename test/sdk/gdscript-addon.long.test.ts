import { once } from 'node:events';
import { cp, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { gantry, repository } from '../support/gantry-process.ts';
import { startTestServer } from '../support/server.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { gdscriptDriver } from './gdscript-driver.ts';
import { Godot3Project, outputOf } from './godot3-project.ts';

const inRepository = (path: string) => readFile(join(repository, path), 'utf8');

test('the addon has the files and the plugin.cfg that Godot and its asset library expect', async () => {
  await using folder = await temporaryDirectory();
  expect((await gantry(['sdk', 'gdscript', '--out', folder.path])).code).toBe(0);
  const addon = join(folder.path, 'addons/gantry');
  const written = (name: string) => readFile(join(addon, name), 'utf8');
  expect(await readdir(addon)).toEqual(
    expect.arrayContaining(['LICENSE', 'README.md', 'gantry_client.gd', 'icon.svg', 'plugin.cfg']),
  );
  const [head, ...lines] = (await written('plugin.cfg')).split('\n').filter((line) => line !== '');
  expect(head).toBe('[plugin]');
  const fields = Object.fromEntries(
    lines.map((line) => /^(\w+)="([^"\n]*)"$/.exec(line)?.slice(1) ?? [line]),
  );
  // All five are required, by "Making plugins" in Godot's manual. Without a script, a plugin can be enabled in Godot 3
  // and 4, whose plugin scripts differ.
  const { version } = JSON.parse(await inRepository('package.json'));
  expect(fields).toEqual({
    name: 'Gantry',
    description: expect.stringMatching(/\w/),
    author: 'Gantry contributors',
    version,
    script: '',
  });
  expect(await written('LICENSE')).toBe(await inRepository('LICENSE'));
  expect(await written('icon.svg')).toBe(await inRepository('public/shared/icon.svg'));
});

const { missing } = gdscriptDriver;

test.skipIf(missing !== null)(
  "in Godot 3's editor the addon can be enabled; the sample plays, and again as the same guest",
  { timeout: 60_000 },
  async () => {
    await using server = await startTestServer();
    await using folder = await temporaryDirectory();
    const { gameId } = await server.createGame();
    expect((await gantry(['sdk', 'gdscript', '--out', folder.path])).code).toBe(0);
    const sample = join(folder.path, 'sample/godot3');
    await cp(join(folder.path, 'addons'), join(sample, 'addons'), { recursive: true });
    await rm(join(sample, 'addons/gantry/platform_godot4.gd')); // as its README allows; the editor cannot parse it
    const { project, editorSaid } = await Godot3Project.open(sample);
    expect(editorSaid).not.toMatch(/ERROR|WARNING/);
    const shown: string[] = [];
    for (const _ of ['first', 'second']) {
      const child = await project.run('load("res://main.tscn").instance()', {
        begin: `node.url = "${server.url}"; node.game_id = "${gameId}"`,
        steps: [
          'if node.rows.size() == 0 and node.client.status == "live" and node.points == 0: node._score()',
          'if node.rows.size() > 0:',
          '\tprint("board: ", node.board.text.strip_edges())',
          '\tnode.free()',
          '\tquit()',
        ],
      });
      const output = outputOf(child);
      await once(child, 'close');
      expect(output()).not.toMatch(/ERROR|leaked/);
      shown.push(/board: (.*)/.exec(output())?.[1] ?? output());
    }
    expect(shown[0]).toMatch(/^1\. .*: 100$/);
    expect(shown[1]).toBe(shown[0]);
  },
);

// Not skipped when nothing is missing: skipped tests fail a CI run.
if (missing !== null) test('the addon in Godot 3', ({ skip }) => skip(true, missing));
