import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { noBrowser } from '../pages/browser.ts';
import { pythonDriver } from '../sdk/drivers.ts';
import { GodotProject, outputOf, scriptFor } from '../sdk/godot-project.ts';
import { godots } from '../sdk/godots.ts';
import { freePort } from '../support/free-port.ts';
import { repository } from '../support/gantry-process.ts';
import { post } from '../support/http.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { until } from '../support/until.ts';
import { gantryJson } from '../support/warm-gantry.ts';
import { playedInChromium } from './played-in-chromium.ts';

// The Unity project is compiled and played by test/sdk/unity-sample.long.test.ts; the one with Phaser, whose package is
// large, by play-phaser.ts.

/** Writes a template that plays on a running server. @returns its directory, and its game */
async function written(template: string, folder: string, server: TestServer) {
  const directory = join(folder, template);
  const { dataDirectory } = server.config;
  const result = await gantryJson(['new', template, directory, '--url', server.url], dataDirectory);
  return { directory, ...z.object({ gameId: z.string() }).parse(result) };
}

test('vanilla: a round that ends offline is on the board afterwards, and the types of the game hold', async ({
  skip,
}) => {
  skip(noBrowser !== null, noBrowser ?? '');
  await using folder = await temporaryDirectory();
  const { name, isScoreLast, complaints, directory } = await playedInChromium('vanilla', {
    folder: folder.path,
    serve: (port) => ({
      command: process.execPath,
      args: ['serve.mjs'],
      env: { PORT: String(port) },
      prints: /http/,
    }),
  });
  expect({ name, isScoreLast, complaints }).toEqual({ name: 'Vera', isScoreLast: true, complaints: [] });
  const options =
    '--noEmit --strict --skipDefaultLibCheck --allowJs --checkJs --target es2022 --module es2022 --lib es2022,dom game.js';
  const tsc = join(repository, 'node_modules/typescript/bin/tsc');
  const checked = promisify(execFile)(process.execPath, [tsc, ...options.split(' ')], { cwd: directory });
  expect(await checked.catch(({ stdout }) => ({ stdout }))).toMatchObject({ stdout: '' });
});

test.for(godots)(
  'godot: in $name, rounds are on the board, also one that ends offline and is sent after the next start, itself offline',
  async (godot, { skip }) => {
    skip(godot.missing !== null, godot.missing ?? '');
    await using folder = await temporaryDirectory();
    const env = { PORT: String(await freePort()), DATA_DIR: join(folder.path, 'data') };
    await using server = await startTestServer(env);
    const { directory } = await written('godot', folder.path, server);
    for (const name of ['main.gd', 'cloud.gd']) {
      const script = await readFile(join(directory, name), 'utf8');
      await writeFile(join(directory, name), scriptFor(godot, script));
    }
    const project = await GodotProject.create(directory, godot);
    const actions = { rename: 'node.cloud.rename("Vera")', play: 'node._play()' };
    const doNow = (action: keyof typeof actions) => writeFile(join(directory, action), '');
    const start = async () => {
      const child = await project.run('load("res://main.gd").new()', {
        begin: 'Engine.time_scale = 20',
        steps: [
          'var text = "%s; %s; %s" % [node.progress.text, node.board.text.replace("\\n", " "), node.news.text]',
          'if not node.has_meta("text") or node.get_meta("text") != text: print(text)',
          'node.set_meta("text", text)',
          ...Object.entries(actions).map(
            ([name, action]) => `if DirAccess.remove_absolute("res://${name}") == OK: ${action}`,
          ),
        ],
      });
      const output = outputOf(child);
      const gone = once(child, 'close');
      return {
        async shows(what: RegExp) {
          const isOver = () => what.test(output()) || output().includes('ERROR');
          await until(`${what}`, isOver).catch(() => undefined);
          expect(output()).not.toContain('ERROR');
          expect(output()).toMatch(what);
        },
        async [Symbol.asyncDispose]() {
          child.kill();
          await gone;
        },
      };
    };
    {
      await using game = await start();
      await game.shows(/^Your best: 0\. Rounds played: 0/m);
      await doNow('rename');
      await doNow('play');
      await game.shows(/^Your best: [1-9]\d*\. Rounds played: 1; The best 1\. Vera: [1-9]\d* ; /m);
      await server.close();
      await doNow('play');
      await game.shows(/^Your best: [1-9]\d*\. Rounds played: 2; The best 1\. Vera: [1-9]\d* ; Offline/m);
    }
    await using game = await start();
    await game.shows(/^; ; Offline/m);
    await using _again = await startTestServer(env);
    await game.shows(/^Your best: [1-9]\d*\. Rounds played: 2; The best 1\. Vera: [1-9]\d* ; $/m);
  },
);

test('python-bot: it plays, congratulates the player who leads, and answers', async ({ skip }) => {
  skip(pythonDriver.missing !== null, pythonDriver.missing ?? '');
  await using server = await startTestServer();
  await using folder = await temporaryDirectory();
  const { directory, gameId } = await written('python-bot', folder.path, server);
  const { command } = await pythonDriver.prepare('');
  const leader = await server.openSession(gameId);
  const call = async (name: string, input: object) => {
    const { body } = await post(`${server.url}/launcher/${name}`, {
      launcherJwt: leader.launcherJwt,
      ...input,
    });
    return body;
  };
  await call('set-user-score', { score: 100_000 });
  const bot = spawn(command, ['-B', 'bot.py', '--pause', '0.1'], { cwd: directory });
  const output = outputOf(bot);
  const gone = once(bot, 'close');
  const channels = z.object({ data: z.array(z.object({ _id: z.string() })) });
  try {
    const channelId = await until(
      'a channel',
      async () => channels.parse(await call('get-message-channels', {})).data.at(0)?._id,
    );
    const prints = (line: RegExp) =>
      until(`${line}`, () => line.test(output())).catch(() => expect(output()).toMatch(line));
    await prints(/^said: You lead with 100000!/m);
    await call('send-channel-message', { channelId, content: 'Top' });
    await prints(/^said: 1\. .* 100000/m);
    await prints(/^leaderboard: 1\. .* 100000, 2\. Star Bot \d/m);
    await prints(/^round 2: \d/m);
  } finally {
    bot.kill('SIGINT');
    await gone;
  }
  expect(output()).not.toContain('Traceback');
});

test('python-bot: it plays on when the player who leads has blocked it', async ({ skip }) => {
  skip(pythonDriver.missing !== null, pythonDriver.missing ?? '');
  await using server = await startTestServer();
  await using folder = await temporaryDirectory();
  const { directory, gameId } = await written('python-bot', folder.path, server);
  const { command } = await pythonDriver.prepare('');
  const play = async (rounds: number) => {
    const options = ['--pause', '0', '--rounds', String(rounds)];
    return (await promisify(execFile)(command, ['-B', 'bot.py', ...options], { cwd: directory })).stdout;
  };
  await play(1);
  const store = JSON.parse(await readFile(join(directory, 'bot.json'), 'utf8'));
  const { launcherJwt } = await server.openSession(gameId);
  await post(`${server.url}/launcher/block-player`, { launcherJwt, wallet: store.wallet });
  await post(`${server.url}/launcher/set-user-score`, { launcherJwt, score: 100_000 });
  expect(await play(2)).toMatch(/^not said: adding_declined\n(?:.*\n)*round 3: /m);
});
