import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { codeSamples, socketSamples } from '../../public/docs/reference/code-samples.js';
import { readEventLog } from '../../src/features/events/queries.ts';
import { GodotProject, outputOf } from '../sdk/godot-project.ts';
import { type Godot, godots } from '../sdk/godots.ts';
import { repository } from '../support/gantry-process.ts';
import { startTestServer, type TestPlayer, type TestServer } from '../support/server.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

type SampleCall = Parameters<typeof codeSamples>[0];

const run = promisify(execFile);

/** Values that are hard to write as a literal in one language or another. */
const message = `Ada's "best" \\ \n try: \u{1F3C1} {wallet} $HOME`;

let server: TestServer;
let player: TestPlayer;
let calls: Readonly<Record<string, SampleCall>>;
beforeAll(async () => {
  server = await startTestServer();
  player = await server.openSession((await server.createGame()).gameId);
  const { gameId, launcherJwt } = player;
  calls = {
    notification: {
      url: `${server.url}/launcher/send-notification`,
      method: 'POST',
      headers: {},
      body: { launcherJwt, message, type: 'success' },
    },
    dispatch: {
      url: `${server.url}/launcher`,
      method: 'POST',
      headers: { 'X-Service-Method': 'setState' },
      body: { launcherJwt, label: 'save', state: { level: 3, boss: null, done: [true, false] } },
    },
    feed: { url: `${server.url}/activities?gameId=${gameId}&pageSize=10`, method: 'GET', headers: {} },
  };
});
afterAll(() => server.close());

/** Runs a sample's code in an empty folder, with its output as the result. */
type Runner = (folder: string, code: string) => Promise<string>;

const runAs =
  (program: string, file: string): Runner =>
  async (folder, code) => {
    await writeFile(join(folder, file), code);
    return (await run(program, [join(folder, file)])).stdout;
  };

const runIn =
  (godot: Godot): Runner =>
  async (folder, code) => {
    const lines = [...code.split('\n'), 'get_tree().quit()'].map((line) => `\t${line}\n`);
    await writeFile(join(folder, 'sample.gd'), `extends Node\nfunc _ready():\n${lines.join('')}`);
    const project = await GodotProject.create(folder, godot);
    const child = await project.run('load("res://sample.gd").new()');
    const output = outputOf(child);
    await once(child, 'close');
    expect(output()).not.toContain('ERROR');
    return output();
  };

const languages: readonly { id: string; runs: Runner }[] = [
  { id: 'curl', runs: runAs('bash', 'sample.sh') },
  { id: 'javascript', runs: runAs(join(repository, 'node_modules/.bin/node'), 'sample.mjs') },
  { id: 'python', runs: runAs('python3', 'sample.py') },
  ...godots.filter(({ major }) => major === 4).map((godot) => ({ id: 'gdscript', runs: runIn(godot) })),
];

describe.each(languages)('a sample in $id', ({ id, runs }) => {
  test.each(['notification', 'dispatch', 'feed'])('calls, as pasted: %s', async (name) => {
    await using folder = await temporaryDirectory();
    const call = calls[name];
    const sample = call && codeSamples(call).find((one) => one.id === id);
    expect(await runs(folder.path, sample?.code ?? '')).toMatch(/success['"]?: ?(true|True)/);
    if (name !== 'notification') return;
    const { events } = await server.services.db.read(readEventLog, undefined, 250);
    const sent = events.filter(({ name: event }) => event === 'notifications created');
    expect(JSON.parse(sent.at(-1)?.record ?? '')).toMatchObject({ message });
  });
});

test('samples in C# and GDScript send the same', () => {
  const [csharp = '', gdscript = ''] = ['csharp', 'gdscript'].map(
    (id) => (calls.dispatch && codeSamples(calls.dispatch).find((one) => one.id === id)?.code) ?? '',
  );
  const [, verbatim = ''] =
    /new StringContent\(@"((?:[^"]|"")*)", Encoding.UTF8, "application\/json"\)/.exec(csharp) ?? [];
  expect(JSON.parse(verbatim.replaceAll('""', '"'))).toEqual(calls.dispatch?.body);
  expect(csharp).toContain('request.Headers.Add("X-Service-Method", "setState");');
  // A dictionary of GDScript parses as JSON.
  const [, dictionary = ''] = /JSON\.stringify\(([\s\S]*?)\)\)\n/.exec(gdscript) ?? [];
  expect(JSON.parse(dictionary)).toEqual(calls.dispatch?.body);
  expect(gdscript).toContain('["X-Service-Method: setState", "Content-Type: application/json"]');
});

test('a sample about a live connection calls over one', async () => {
  await using folder = await temporaryDirectory();
  const [sample] = socketSamples({
    url: server.url,
    service: 'realtime-events',
    operation: 'getSubscribedChannels',
    body: { launcherJwt: player.launcherJwt },
  });
  const file = join(folder.path, 'sample.mjs');
  const imported = sample?.code.replace(
    "'socket.io-client'",
    JSON.stringify(import.meta.resolve('socket.io-client')),
  );
  await writeFile(
    file,
    imported?.replace('console.log(error ?? result)', '(console.log(error ?? result), socket.close())') ?? '',
  );
  const { stdout } = await run(join(repository, 'node_modules/.bin/node'), [file]);
  expect(stdout).toContain('success: true');
});
