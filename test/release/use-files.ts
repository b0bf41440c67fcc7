/**
 * Installs and uses every file of a release as its users do, each in an empty folder, against a server that is one of
 * the files:
 *
 *     node_modules/.bin/node test/release/use-files.ts dist/release/1.2.0
 */
import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { until } from '../support/until.ts';

/** What a file is used with: its full path, an empty folder, and a running server with the game `release`. */
export interface Place {
  file: string;
  folder: string;
  url: string;
  gameSecret: string;
}

export interface Use {
  /** Finds the file. */
  name: RegExp;
  /** Why it cannot be used here; null when it can. */
  missing: string | null;
  /** Resolves with the score that the server answered, or with its version. */
  use(place: Place): Promise<string>;
}

const run = promisify(execFile);
const wallet = `0x${'a'.repeat(40)}`;
const python = existsSync('/usr/bin/python3') ? '/usr/bin/python3' : 'python3';
const isInstalled = (program: string) => spawnSync(program, ['--version']).error === undefined;
const pipMissing =
  spawnSync(python, ['-c', 'import setuptools, wheel, pip']).status === 0
    ? null
    : 'no pip here: apt-get install python3-pip python3-setuptools python3-wheel';

export const uses: readonly Use[] = [
  { name: /^gantry-[\d.]+\.tgz$/, missing: null, use: npmPackage },
  { name: /^gantry-client-.*\.tgz$/, missing: null, use: typescriptClient },
  { name: /\.whl$/, missing: pipMissing, use: (place) => pythonPackage(place, []) },
  {
    name: /\.tar\.gz$/,
    missing: pipMissing,
    use: (place) => pythonPackage(place, ['--no-build-isolation'], ['--system-site-packages']),
  },
  {
    name: /-godot-.*\.zip$/,
    missing: isInstalled('godot3-server') ? null : 'no Godot here: apt-get install godot3-server',
    use: godotAddon,
  },
  {
    name: /^com\..*\.tgz$/,
    missing:
      isInstalled('mcs') && isInstalled('mono')
        ? null
        : 'no Mono here: apt-get install mono-mcs mono-runtime libmono-system-net-http4.0-cil',
    use: unityPackage,
  },
];

/** Starts a program of a release with its data in an empty folder; resolves with its address and its version. */
export async function serve(program: string, folder: string, path: string) {
  const env = { PATH: path, HOME: folder, TMPDIR: folder, DATA_DIR: join(folder, 'data'), PORT: '0' };
  const child = spawn(program, ['serve'], { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] });
  const gone = once(child, 'close');
  let printed = '';
  child.stdout.on('data', (text) => {
    printed += text;
  });
  const close = async () => {
    child.kill();
    await gone;
  };
  try {
    const url = await until('the server listens', () => {
      if (child.exitCode !== null) throw new Error(`the server ended:\n${printed}`);
      return /listening on (http:\S+)\n/.exec(printed)?.[1];
    });
    const { ok } = await fetch(`${url}/play`);
    if (!ok) throw new Error(`${url}/play does not answer`);
    const version = (await run(program, ['--version'], { cwd: folder, env })).stdout.trim();
    const gantry = async (...args: string[]) =>
      JSON.parse((await run(program, [...args, '--json'], { cwd: folder, env })).stdout);
    return { url, version, gantry, [Symbol.asyncDispose]: close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function npmPackage({ file, folder }: Place): Promise<string> {
  await npmInstall(file, folder);
  const path = [dirname(process.execPath), '/usr/bin', '/bin'].join(delimiter);
  await using server = await serve(join(folder, 'node_modules/.bin/gantry'), folder, path);
  return server.version;
}

async function typescriptClient({ file, folder, url }: Place): Promise<string> {
  await npmInstall(file, folder);
  const program = `import { connect } from 'gantry-client';
    const client = await connect({ url: '${url}', game: 'release' });
    console.log((await client.api.setUserScore({ score: 12 })).newScore.score);
    client.close();`;
  await writeFile(join(folder, 'play.mjs'), program);
  return (await run(process.execPath, ['play.mjs'], { cwd: folder })).stdout.trim();
}

async function npmInstall(file: string, folder: string): Promise<void> {
  await writeFile(join(folder, 'package.json'), '{ "private": true }\n');
  const quietly = ['--prefer-offline', '--no-audit', '--no-fund'];
  await run('npm', ['install', ...quietly, file], { cwd: folder });
}

async function pythonPackage(
  { file, folder, url, gameSecret }: Place,
  pip: readonly string[],
  venv: readonly string[] = [],
): Promise<string> {
  const env = { ...process.env, HOME: folder, PIP_NO_INDEX: '1', PIP_DISABLE_PIP_VERSION_CHECK: '1' };
  await run(python, ['-m', 'venv', '--without-pip', ...venv, 'venv'], { cwd: folder, env });
  const program = join(folder, 'venv/bin/python');
  const install = ['-m', 'pip', '--python', program, 'install', '-q', '--no-deps', ...pip, file];
  await run(python, install, { cwd: folder, env });
  const play = `import gantry
client = gantry.GantryClient("${url}", game_secret="${gameSecret}", connect=False)
print(client.for_player("${wallet}").set_user_score(score=12)["newScore"]["score"])`;
  return (await run(program, ['-I', '-c', play], { cwd: folder, env })).stdout.trim();
}

async function godotAddon({ file, folder, url }: Place): Promise<string> {
  await run(python, ['-m', 'zipfile', '-e', file, folder]);
  await writeFile(join(folder, 'project.godot'), 'config_version=4\n');
  const program = `extends SceneTree
var client = load("res://addons/gantry/gantry_client.gd").new("${url}")
func _init():
	get_root().call_deferred("add_child", client)
	call_deferred("_play")
func _play():
	var started = yield(client.start({"game": "release"}), "completed")
	var call = yield(client.set_user_score(12), "completed")
	print("score: ", call.data.new_score.score if call.ok else call.error.message)
	client.call_deferred("free")
	quit()
`;
  await writeFile(join(folder, 'play.gd'), program);
  const env = { ...process.env, HOME: folder, XDG_DATA_HOME: folder };
  const args = ['--path', folder, '-s', 'res://play.gd'];
  const { stdout } = await run('godot3-server', args, { cwd: folder, env, timeout: 120_000 });
  return /^score: (.*)$/m.exec(stdout)?.[1] ?? stdout;
}

/** Without Unity, whose code the SDK compiles only there. */
async function unityPackage({ file, folder, url }: Place): Promise<string> {
  await run('tar', ['-xzf', file, '-C', folder]);
  const program = `using System; using System.Threading.Tasks; using Gantry;
class Play { static void Main() { Run().Wait(); } static async Task Run() {
  var client = await GantryClient.ConnectAsync(new ConnectOptions { Url = "${url}", Game = "release", StateFile = "state.json" });
  Console.WriteLine((await client.SetUserScoreAsync(new SetUserScoreInput { Score = 12 })).NewScore.Score);
  client.Dispose(); } }`;
  await writeFile(join(folder, 'Play.cs'), program);
  const compile = [
    '-langversion:7',
    '-r:System.Net.Http.dll',
    '-out:play.exe',
    '-recurse:package/*.cs',
    'Play.cs',
  ];
  await run('mcs', compile, { cwd: folder });
  return (await run('mono', ['play.exe'], { cwd: folder })).stdout.trim();
}

if (import.meta.main) {
  const files = resolve(process.argv[2] ?? '');
  const names = await readdir(files);
  await run('sha256sum', ['--check', '--strict', 'SHA256SUMS'], { cwd: files });
  const place = await mkdtemp(join(tmpdir(), 'gantry-release-'));
  const emptyFolder = async (name: string) => {
    await mkdir(join(place, name));
    return join(place, name);
  };
  const say = (name: string, what: string) => process.stdout.write(`${name}: ${what}\n`);
  try {
    const executable = names.find((name) => name.endsWith(`-${process.platform}-${process.arch}`)) ?? '';
    await using server = await serve(join(files, executable), await emptyFolder('server'), '');
    say(executable, `serves version ${server.version}`);
    const { gameSecret } = await server.gantry('game', 'create', '--name', 'Release', '--slug', 'release');
    for (const { name, missing, use } of uses) {
      const file = names.find((one) => name.test(one));
      if (file === undefined || missing !== null) {
        say(file ?? String(name), missing ?? 'not in this release');
        continue;
      }
      const folder = await emptyFolder(file);
      say(file, await use({ file: join(files, file), folder, url: server.url, gameSecret }));
    }
  } finally {
    await rm(place, { recursive: true });
  }
}
