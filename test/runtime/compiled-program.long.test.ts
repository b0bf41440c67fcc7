import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, cp, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { gantry, repository, serveGantry } from '../support/gantry-process.ts';
import { type TemporaryDirectory, temporaryDirectory } from '../support/temporary-directory.ts';
import { until } from '../support/until.ts';

const node = join(repository, 'node_modules/.bin/node');
const run = promisify(execFile);

/** A checkout with this source and its own cache. */
async function checkout(): Promise<TemporaryDirectory> {
  const place = await temporaryDirectory();
  for (const name of ['src', 'public', 'package.json']) {
    await cp(join(repository, name), join(place.path, name), { recursive: true });
  }
  await chmod(join(place.path, 'src/gantry.js'), 0o755);
  await mkdir(join(place.path, 'node_modules'));
  for (const name of await readdir(join(repository, 'node_modules'))) {
    if (name === '.cache') continue;
    await symlink(join(repository, 'node_modules', name), join(place.path, 'node_modules', name));
  }
  return place;
}

const compile = (place: TemporaryDirectory) => run(node, ['src/tools/build/program.ts'], { cwd: place.path });

/** The compiled program that would be started; `null` when it would be the source. */
async function compiled(place: TemporaryDirectory): Promise<string> {
  const program = `import { compiledProgram } from './src/runtime/compiled-program.ts'; console.log(String(compiledProgram()));`;
  return (await run(node, ['--input-type=module', '--eval', program], { cwd: place.path })).stdout.trim();
}

function version(place: TemporaryDirectory) {
  return gantry(['--version'], { ...inside(place), env });
}

function inside(place: TemporaryDirectory) {
  return { program: join(place.path, 'src/gantry.js'), cwd: place.path };
}

const env = { PATH: join(repository, 'node_modules/.bin') };

test('a server compiles the source that it was started from, and the next one runs that', async () => {
  await using place = await checkout();
  const data = join(place.path, 'data');
  const created = { ...inside(place), env: { ...env, DATA_DIR: data } };
  {
    await using server = await serveGantry(data, env, inside(place));
    // Its last file. To ask for the program itself, again and again, would take the processor from the build.
    await until('the compiled program', () =>
      existsSync(join(place.path, 'node_modules/.cache/gantry/current.json')),
    );
    expect(await compiled(place)).toMatch(/^file:/);
    expect((await server.end('SIGTERM')).code).toBe(0);
  }
  await using server = await serveGantry(data, env, inside(place));
  expect((await gantry(['game', 'create', '--name', 'Space Race'], created)).code).toBe(0);
  for (const path of ['/play', '/docs/errors', '/readyz']) {
    expect((await fetch(server.url + path)).status, path).toBe(200);
  }
  expect(server.output.stdout).toContain('npm run -s gantry -- token');
  expect(await server.end('SIGTERM')).toMatchObject({ code: 0, stderr: '' });
});

describe('a program that two builds have compiled at once', () => {
  let place: TemporaryDirectory;
  let written: string[];
  beforeAll(async () => {
    place = await checkout();
    await Promise.all([compile(place), compile(place)]);
    written = await readdir(join(place.path, 'node_modules/.cache/gantry'));
  });
  afterAll(() => place[Symbol.asyncDispose]());

  test('is whole, and the only one', async () => {
    expect(written).toContain('current.json');
    const others = written.filter((name) => name !== 'current.json');
    expect(others).toEqual([expect.stringMatching(/^[0-9a-f]{16}$/)]);
    expect(await compiled(place)).toMatch(/^file:/);
    expect((await version(place)).code).toBe(0);
  });

  test('is kept by V8 in one byte for each letter', async () => {
    const folder = fileURLToPath(new URL('.', await compiled(place)));
    const files = (await readdir(folder)).filter((name) => name.endsWith('.js'));
    expect(files).toContain('gantry.js');
    for (const name of files) {
      // esbuild escapes other letters in strings; write them as \u… in regular expressions.
      expect(/[^\0-\x7f]+/.exec(await readFile(join(folder, name), 'utf8'))?.[0], name).toBeUndefined();
    }
  });

  test('is replaced after an edit, at the next start and once that is compiled, and its stack traces name the lines of the source', async () => {
    await using copy = await temporaryDirectory();
    await cp(place.path, copy.path, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
    expect(await compiled(copy)).toBe('null'); // the program contains the path of the other checkout
    const folder = dirname(fileURLToPath(await compiled(place)));
    for (const build of ['1', '2', '3', '4', '5']) await mkdir(`${folder}.${build}`); // in progress
    const file = join(place.path, 'src/cli/run-command.ts');
    const edited = (await readFile(file, 'utf8')).replace(
      /^ {2}try \{$/m,
      "  try {\n    if (process.argv[2] === 'fail') throw new Error('deliberate');",
    );
    await writeFile(file, edited);
    expect(await compiled(place)).toBe('null');
    expect((await version(place)).code).toBe(0);
    await compile(place);
    expect(await compiled(place)).toMatch(/^file:/);
    expect(existsSync(join(folder, 'gantry.js'))).toBe(true); // a server may still run it
    const line = edited.split('\n').findIndex((text) => text.includes('deliberate')) + 1;
    const { stderr } = await gantry(['fail'], { ...inside(place), env });
    expect(stderr).toMatch(new RegExp(`^Error: deliberate\n    at .*/src/cli/run-command\\.ts:${line}:\\d+`));
    expect(stderr).not.toContain('.cache');
    await rm(join(place.path, 'node_modules/.package-lock.json'));
    expect(await compiled(place)).toBe('null');
  });
});

test('where the program cannot be compiled or is damaged, the source runs', async () => {
  await using place = await checkout();
  const cache = join(place.path, 'node_modules/.cache');
  await writeFile(cache, 'not a directory');
  await expect(compile(place)).rejects.toThrow('ENOTDIR');
  await using server = await serveGantry(join(place.path, 'data'), env, inside(place));
  expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
  expect(await server.end('SIGTERM')).toMatchObject({ code: 0, stderr: '' });
  await rm(cache);
  await mkdir(join(cache, 'gantry'), { recursive: true });
  await writeFile(join(cache, 'gantry/current.json'), '{');
  expect((await version(place)).code).toBe(0);
});
