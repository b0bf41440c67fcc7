import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { cp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { releaseFiles } from '../release/release-files.ts';
import { gantry, repository } from '../support/gantry-process.ts';
import { startTestServer } from '../support/server.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { until } from '../support/until.ts';
import { GodotProject, outputOf } from './godot-project.ts';
import { godots } from './godots.ts';

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

test.for(godots)(
  'in $name the sample keeps its guest beyond sessions, outages and restarts; a launcher opens it as its player',
  { timeout: 600_000 },
  async (godot, { skip }) => {
    skip(godot.missing !== null, godot.missing ?? '');
    const release = await releaseFiles();
    await using data = await temporaryDirectory();
    await using folder = await temporaryDirectory();
    const serverOn = (port: number) =>
      startTestServer({
        PORT: String(port),
        DATA_DIR: data.path,
        // A day, in five seconds: such a session is renewed once, and then the player has to sign in again.
        SESSION_DAYS: String(4 / 86_400),
        SESSION_RENEWAL_DAYS: String(5 / 86_400),
      });
    const server = await serverOn(0);
    const { gameId } = await server.createGame({ slug: 'my-game' });
    const addon = join(release.folder, `gantry-godot-${release.version}.zip`);
    await promisify(execFile)('python3', ['-m', 'zipfile', '-e', addon, folder.path]);
    const sample = join(folder.path, `sample/godot${godot.major}`);
    await cp(join(folder.path, 'addons'), join(sample, 'addons'), { recursive: true });
    // As its README allows; the editor cannot parse it.
    await rm(join(sample, `addons/gantry/platform_godot${godot.major === 3 ? 4 : 3}.gd`));
    const { project, editorSaid } = await GodotProject.open(sample, godot);
    expect(editorSaid).not.toMatch(/ERROR|WARNING/);

    const doNow = (what: string) => writeFile(join(sample, what), '');
    const run = async (env: Record<string, string> = {}) => {
      const child = await project.run('load("res://main.tscn").instantiate()', {
        begin: `node.url = "${server.url}"; node.game = "my-game"`,
        env,
        steps: [
          'var text = "%s; %s; %s" % [node.news.text, node.client.status, node.board.text.strip_edges()]',
          'if node.client.player != null: text += "; " + node.client.player.wallet',
          'if not node.has_meta("text") or node.get_meta("text") != text: print(text)',
          'node.set_meta("text", text)',
          'if DirAccess.remove_absolute("res://score") == OK: node._score()',
          'if DirAccess.remove_absolute("res://quit") == OK:',
          '\tnode.free()',
          '\tquit()',
        ],
      });
      const output = outputOf(child);
      const gone = once(child, 'close');
      return {
        output,
        /** Waits until it shows this after `from` characters of output. */
        shows: (what: RegExp, from = 0) => until(`${what}`, () => what.exec(output().slice(from))),
        async quit() {
          await doNow('quit');
          await gone;
          expect(output()).not.toMatch(/ERROR|leaked/);
        },
      };
    };
    const first = await run();
    const [, wallet = ''] = await first.shows(/You are .*; live; ; (0x\w+)/);
    await doNow('score');
    await first.shows(/; live; 1\. .*: 100; /);
    await first.shows(/; connecting; 1\. .*: 100; /);
    await first.shows(/; live; 1\. .*: 100; /, first.output().length);
    const { length: before } = first.output();
    await server.close();
    await first.shows(/; connecting; 1\. .*: 100; /, before);
    await doNow('score');
    await using again = await serverOn(Number(new URL(server.url).port));
    await first.shows(/; live; 1\. .*: 200; /, before);
    await first.quit();

    const second = await run();
    await second.shows(/; live; 1\. .*: 200; /);
    await second.quit();
    const wallets = `${first.output()}${second.output()}`.match(/0x\w{40}/g);
    expect(new Set(wallets)).toEqual(new Set([wallet]));

    const player = await again.openSession(gameId);
    const opened = await run({ GANTRY_TOKEN: player.launcherJwt });
    await opened.shows(new RegExp(`; live; 1\\. .*: 200; ${player.wallet}`));
    await opened.quit();

    await writeFile(join(sample, 'own_client.gd'), 'extends GantryClient\n');
    const mistaken = await project.run('load("res://own_client.gd").new()', {
      steps: [
        'for refused in [node.start({"gmae": "my-game"}), node.start({})]: print(refused.error.message)',
        // A guest with a queued call gets a wallet.
        `node.saved_state = '{"wallet":"0xa","deviceSecret":"s","queue":[{"operation":"setUserScore"}]}'`,
        'node.call_operation("getGames")',
        'var upgrade = node._calls.made("upgradeGuest", {}, {})',
        'upgrade.json = {"launcherJwt": "t", "expiresAt": 0, "player": {"wallet": "0xb"}}',
        'upgrade.data = node._answer_record("upgradeGuest", upgrade.json)',
        'upgrade.ok = true',
        'node._sign_in._wallet_signed_in(upgrade)',
        'print("queued: ", node.queued_count(), " of ", node.player.wallet)',
        'node.free()',
        'quit()',
      ],
    });
    const said = outputOf(mistaken);
    await once(mistaken, 'close');
    expect(said()).toMatch(/start has no option gmae; it has: \["?game"?, "?username"?,/);
    expect(said()).toContain('start needs the option game');
    expect(said()).toContain('queued: 1 of 0xb');
    expect(said()).not.toMatch(/ERROR|leaked/);
  },
);
