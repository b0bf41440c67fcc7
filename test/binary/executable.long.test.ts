import { glob, mkdir, readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { privateKeyToAccount } from 'viem/accounts';
import { beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Assets } from '../../src/pages/assets.ts';
import { DirectoryAssets, sourceOf } from '../../src/pages/directory-assets.ts';
import { Manual } from '../../src/pages/manual.ts';
import { launchBrowser, noBrowser } from '../pages/browser.ts';
import { playDemoGame, playRound } from '../pages/players.ts';
import { type ReleaseFiles, releaseFiles } from '../release/release-files.ts';
import { errorClassesIn, refusalsBy } from '../support/error-names.ts';
import { gantry, repository, serveGantry } from '../support/gantry-process.ts';
import { post } from '../support/http.ts';
import { connectLauncher } from '../support/launcher.ts';
import { signedIn, signInsTo } from '../support/sign-in.ts';
import { type TemporaryDirectory, temporaryDirectory } from '../support/temporary-directory.ts';

let release: ReleaseFiles;

beforeAll(async () => {
  release = await releaseFiles();
});

test('the build prints how large the executable is, and how soon it is ready', () => {
  expect(release.printed).toMatch(/dist\/gantry: \d+\.\d MB, ready to take calls \d+ ms after its start\n/);
});

describe('in an empty directory, without a Node on the PATH', () => {
  test('the first session of README.md works', async () => {
    await using place = await emptyPlace();
    await using server = await serve(place);
    expect(server.output.stdout).toContain(`    ${release.executable} token --game `);
    const { gameId } = z
      .object({ gameId: z.string() })
      .parse(await run(place, 'game', 'create', '--name', 'Space Race'));
    const tokenOf = async (wallet: string) =>
      z
        .object({ launcherJwt: z.string() })
        .parse(await run(place, 'token', '--game', gameId, '--wallet', wallet)).launcherJwt;
    const [ada, grace] = [`0x${'ad'.repeat(20)}`, `0x${'9e'.repeat(20)}`];
    const launcherJwt = await tokenOf(ada);
    using launcher = await connectLauncher(server.url, { launcherJwt });

    const { body } = await post(`${server.url}/launcher/set-user-score`, { launcherJwt, score: 1600 });
    expect(body).toMatchObject({ success: true, newScore: { score: 1600 } });
    expect((await launcher.waitForEvent('scores created')).record).toMatchObject({ score: 1600 });

    const byGrace = { launcherJwt: await tokenOf(grace) };
    const channel = await post(`${server.url}/launcher/create-message-channel`, {
      ...byGrace,
      otherParticipants: [ada],
    });
    const { _id: channelId } = z.object({ _id: z.string() }).parse(channel.body);
    await post(`${server.url}/launcher/send-channel-message`, { ...byGrace, channelId, content: 'Rematch?' });
    expect((await launcher.waitForEvent('chat-messages created')).record).toMatchObject({
      senderId: grace,
      content: 'Rematch?',
    });

    const { code, stderr } = await server.end('SIGTERM');
    expect({ code, stderr: withoutNewDirectory(stderr) }).toEqual({ code: 0, stderr: '' });
    expect((await readdir(place.path)).toSorted()).toEqual(['data', 'tmp']);
  });

  test('restarts after a kill with everything that was answered', async () => {
    await using place = await emptyPlace();
    const first = await serve(place);
    const [game] = z.array(z.object({ gameId: z.string() })).parse(await run(place, 'game', 'list'));
    const wallet = `0x${'ad'.repeat(20)}`;
    const opened = await run(place, 'token', '--game', game?.gameId ?? '', '--wallet', wallet);
    const { launcherJwt } = z.object({ launcherJwt: z.string() }).parse(opened);
    for (let score = 1; score <= 20; score++) {
      const { status } = await post(`${first.url}/launcher/set-user-score`, { launcherJwt, score });
      expect(status).toBe(200);
    }
    await first.end('SIGKILL');

    await using second = await serve(place);
    const { body } = await post(`${second.url}/launcher/get-user-scores`, { launcherJwt });
    const { scores } = z.object({ scores: z.array(z.object({ score: z.number() })) }).parse(body);
    expect(scores.map(({ score }) => score)).toEqual(Array.from({ length: 20 }, (_, index) => 20 - index));
  });

  test("unpacks SQLite once when several start concurrently, identical to better-sqlite3's", async () => {
    await using place = await emptyPlace();
    await Promise.all([1, 2, 3, 4, 5].map((one) => run(place, 'game', 'create', '--name', `Game ${one}`)));
    const [directory = '', ...others] = await readdir(join(place.path, 'tmp'));
    expect(others).toEqual([]);
    const unpacked = await readdir(join(place.path, 'tmp', directory));
    expect(unpacked).toEqual([expect.stringMatching(/^better-sqlite3-[0-9a-f]{16}\.node$/)]);
    const installed = dirname(createRequire(import.meta.url).resolve('better-sqlite3/package.json'));
    expect(await readFile(join(place.path, 'tmp', directory, unpacked[0] ?? ''))).toEqual(
      await readFile(join(installed, 'prebuilds', `${process.platform}-${process.arch}.node`)),
    );
  });

  test('unpacks SQLite by the command of the Dockerfile, which its container needs for a read-only root', async () => {
    await using place = await emptyPlace();
    const container = await readFile(join(repository, 'Dockerfile'), 'utf8');
    const [, command = ''] = /^RUN DATA_DIR=\S+ gantry (.+) && rm /m.exec(container) ?? [];
    await run(place, ...command.split(' '));
    expect(await readdir(join(place.path, 'tmp'))).toHaveLength(1);
  });

  test('says where it must unpack SQLite when that place does not work', async () => {
    await using place = await emptyPlace();
    const { code, stderr } = await gantry(['game', 'create', '--name', 'One'], {
      ...inside(place),
      env: { PATH: '', TMPDIR: '/proc' },
    });
    expect(code).toBe(1);
    expect(withoutNewDirectory(stderr)).toMatch(
      /^SQLite, .* cannot be extracted to \/proc\/.* Set TMPDIR .*\n$/,
    );
  });

  test('offers the same commands as the source', async () => {
    await using place = await emptyPlace();
    const { stdout } = await gantry(['--help'], { ...inside(place), env: { PATH: '' } });
    expect(stdout).toBe((await gantry(['--help'])).stdout);
    expect(stdout).toContain('serve');
  });

  test('writes the manual as a static site', async () => {
    await using place = await emptyPlace();
    const site = join(place.path, 'site');
    const docs = await gantry(['docs', '--out', site], { ...inside(place), env: { PATH: '' } });
    expect(docs).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\d{3} files in /) });
    expect((await readFile(join(site, 'bundles/manual/main.js'))).length).toBeGreaterThan(10_000);
  });

  test('answers with the same errors as the source, under the same names', async () => {
    await using place = await emptyPlace();
    await using server = await serve(place);
    await using source = await serveGantry(join(place.path, 'source'), {}, { asWritten: true });
    expect(await refusalsBy(server.url)).toEqual(await refusalsBy(source.url));
    const compiled = await errorClassesIn('dist/executable/program/*.js', release.source);
    expect(
      [...(await errorClassesIn('src/{cli,core,features,server}/**/*.ts'))].filter(
        (name) => !compiled.has(name),
      ),
    ).toEqual([]);
    for await (const file of glob('dist/executable/program/*.js', { cwd: release.source })) {
      expect(await readFile(join(release.source, file), 'utf8'), file).not.toContain('__name(');
    }
  });

  test('V8 accepts the code cache of every module that a server loads, its writer thread included', async () => {
    await using place = await emptyPlace();
    const { loaded } = await loadedModules(place, {});
    expect(loaded).toContainEqual(['run-command', 'accepted']);
    expect(loaded).toContainEqual(['writer-thread', 'accepted']);
    expect(loaded.filter(([, codeCache]) => codeCache !== 'accepted')).toEqual([]);
    expect(loaded.map(([name]) => name)).not.toContain('program'); // the commands other than `serve`
  });

  test('loads what only some calls need: signatures, transliteration, avatars, signers', async () => {
    await using place = await emptyPlace();
    const wallet = privateKeyToAccount(`0x${'5d'.repeat(32)}`);
    const signers = { SIGNERS: JSON.stringify({ default: `0x${'ab'.repeat(32)}` }) };
    const env = { ...environmentOf(place), ...signers, NODE_DEBUG: 'gantry-modules' };
    await using server = await serveGantry('', env, inside(place));
    const { gameId } = z
      .object({ gameId: z.string() })
      .parse(await run(place, 'game', 'create', '--name', 'Żółty Космос'));
    const signIns = signInsTo(server, gameId);
    const { channelId, signRequest } = await signIns.begin(wallet.address);
    expect(signRequest).toContain('Sign in to play Zolty Kosmos.');
    const signature = await wallet.signMessage({ message: signRequest });
    await signedIn(server, await signIns.finish(channelId, signature), wallet.address);

    const avatar = await fetch(`${server.url}/avatars/${wallet.address.toLowerCase()}.svg`);
    expect(await avatar.text()).toMatch(/^<svg /);
    for (const needed of ['any-ascii', 'wallet-signature', 'jdenticon', 'accounts']) {
      expect(server.output.stderr).toMatch(new RegExp(`: ${needed}[\\w-]*\\.js: code cache accepted`));
    }
  });

  test('works with code caches that V8 rejects, as it does with other flags', async () => {
    await using place = await emptyPlace();
    const { loaded } = await loadedModules(place, { NODE_OPTIONS: '--jitless' });
    expect(loaded).toContainEqual(['run-command', 'rejected']);
    expect(loaded).toContainEqual(['writer-thread', 'rejected']);
  });

  test('serves every file of the pages, byte for byte', async () => {
    await using place = await emptyPlace();
    await using server = await serve(place);
    const source: Assets = {
      names: () => new DirectoryAssets().names(),
      // As the release was built from it: the version is in some of them.
      read: (name) => readFile(join(release.source, relative(repository, sourceOf(name) ?? ''))),
    };
    const manual = new Manual(source);
    const files = source.names().filter((name) => !name.endsWith('.html'));
    expect(files.length).toBeGreaterThan(60);
    for (const name of files) {
      const response = await fetch(`${server.url}/${name}`);
      expect(response.status, name).toBe(200);
      const [, page] = /^docs\/([\w-]+)\.md$/.exec(name) ?? [];
      const served = page === undefined ? await source.read(name) : await manual.markdown(page);
      expect(Buffer.from(await response.arrayBuffer()).equals(served ?? Buffer.of()), name).toBe(true);
    }
    expect((await fetch(`${server.url}/pages/index.html`)).status).toBe(404);
    expect(await (await fetch(`${server.url}/docs/search.json`)).bytes()).toEqual(
      new Uint8Array(await manual.searchIndex()),
    );
    expect(await (await fetch(`${server.url}/docs/errors`)).text()).toContain('id="nonce_replayed"');
  });

  test.skipIf(noBrowser !== null)('lets a guest play the demo game in a browser', async () => {
    await using place = await emptyPlace();
    await using server = await serve(place);
    const browser = await launchBrowser();
    try {
      const player = await playDemoGame(browser, server.url);
      await playRound(player);
      expect(player.complaints).toEqual([]);
    } finally {
      await browser.close();
    }
  });
});

/** A directory that is empty except for a temporary one. */
async function emptyPlace(): Promise<TemporaryDirectory> {
  const place = await temporaryDirectory();
  await mkdir(join(place.path, 'tmp'));
  return place;
}

/** The modules that a server loads until it has written, without their hashes, each with V8's verdict on its code cache. */
async function loadedModules(place: TemporaryDirectory, env: Record<string, string>) {
  const debug = { ...environmentOf(place), ...env, NODE_DEBUG: 'gantry-modules' };
  await using server = await serveGantry('', debug, inside(place));
  await run(place, 'game', 'create', '--name', 'Space Race', '--url', server.url);
  const lines = server.output.stderr.matchAll(/: ([\w-]+?)(?:-[0-9A-Z]{8})?\.js: code cache (\w+)/g);
  return { loaded: [...lines].map(([, name, codeCache]) => [name, codeCache]) };
}

function inside(place: TemporaryDirectory) {
  return { program: release.executable, cwd: place.path };
}

function environmentOf(place: TemporaryDirectory): Record<string, string> {
  return { PATH: '', HOME: '', DATA_DIR: '', TMPDIR: join(place.path, 'tmp') };
}

function serve(place: TemporaryDirectory) {
  return serveGantry('', environmentOf(place), inside(place));
}

/** Runs a command and reads the JSON it prints. */
async function run(place: TemporaryDirectory, ...args: string[]): Promise<unknown> {
  const { code, stdout, stderr } = await gantry([...args, '--json'], {
    ...inside(place),
    env: environmentOf(place),
  });
  expect({ code, stderr: withoutNewDirectory(stderr) }).toEqual({ code: 0, stderr: '' });
  return JSON.parse(stdout);
}

/** What the first command on a data directory prints besides its result. */
function withoutNewDirectory(stderr: string): string {
  return stderr.replaceAll(/^There is no data in .*\n/gm, '');
}
