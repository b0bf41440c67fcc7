import { execFileSync } from 'node:child_process';
import { mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Command, Option } from 'commander';
import { type Target, targets } from '../build/targets.ts';
import { buildArtifacts } from './artifacts.ts';
import { cutChangelog, extendUnityChangelog } from './changelog.ts';
import { checkInputs, checkRelease } from './checks.ts';
import { writeChecksums } from './checksums.ts';
import { GitRepository } from './git-repository.ts';
import { releaseNotes } from './notes.ts';
import { type Inputs, provenanceOf } from './provenance.ts';
import { ReleaseRefused } from './refused.ts';
import { createSbom } from './sbom.ts';
import { setVersion } from './versions.ts';

// `npm run release`: see "Release" in CONTRIBUTING.md. Everything is built from a copy of the last commit, in which the
// version is set; the repository changes at the end, when all has succeeded.

interface Options {
  dryRun?: boolean;
  out?: string;
  targets: Target[];
  date: string;
  python: string;
  skipPython?: boolean;
}

const repository = new GitRepository(fileURLToPath(new URL('../../..', import.meta.url)));
const runtimes = join(repository.folder, 'dist/runtimes');
const source = join(repository.folder, 'dist/release/source');

if (import.meta.main) {
  const program = new Command('release')
    .description('build all files of a release, then commit and tag it; nothing is uploaded')
    .argument('<version>', 'version of three numbers, above the last one')
    .option(
      '--dry-run',
      'leave the repository as it is; changes that are not committed are part of the files',
    )
    .option('--out <directory>', 'where the files are written (default: dist/release/<version>)')
    .addOption(
      new Option('--targets <platform...>', 'platforms of the executables').choices(targets).default(targets),
    )
    .option('--date <date>', 'date in the changelog', new Date().toISOString().slice(0, 10))
    .option('--python <program>', 'a Python with setuptools and wheel', 'python3')
    .option('--skip-python', 'build no Python packages')
    .addHelpText('after', '\nExample:\n  npm run release -- 1.2.0 --dry-run --targets linux-x64')
    .parse();
  await release(program.args[0] ?? '', program.opts<Options>()).catch((error) => {
    if (error instanceof ReleaseRefused) program.error(error.message);
    throw error;
  });
}

async function release(version: string, options: Options): Promise<void> {
  const { targets, date, dryRun: isDry = false } = options;
  const python = options.skipPython ? null : options.python;
  const out = resolve(options.out ?? join(repository.folder, 'dist/release', version));
  process.umask(0o022); // the modes of files are part of packages
  await checkRelease(repository, version, isDry);
  await checkInputs(repository.folder, targets, runtimes);

  step('Copy of the source');
  const commit = repository.head();
  const time = repository.headTime();
  await copySource(isDry ? repository.treeOf(repository.folder) : commit);
  const notes = await cut(version, date, isDry);
  const tree = repository.treeOf(source);

  await rm(out, { recursive: true, force: true });
  await mkdir(out, { recursive: true });
  step('Files');
  await buildArtifacts({ version, targets, python, source, time, out });
  const writeJson = (name: string, value: object) =>
    writeFile(join(out, `gantry-${version}.${name}.json`), `${JSON.stringify(value, null, 2)}\n`);
  await writeJson('cdx', createSbom(source, join(source, 'dist/package'), new Date(time * 1000)));
  const inputs: Inputs = { version, date, targets, python, commit, tree, time, source, runtimes };
  await writeJson('provenance', await provenanceOf(out, inputs));
  const text = releaseNotes({ version, date, notes }, (await readdir(out)).toSorted());
  await writeFile(join(out, 'RELEASE_NOTES.md'), text);
  await writeChecksums(out);
  process.stdout.write(await readFile(join(out, 'SHA256SUMS'), 'utf8'));

  if (isDry) {
    step(`Nothing was committed. The files are in ${out}`);
    return;
  }
  const [tag, subject] = [`v${version}`, `Release ${version}`];
  const released = repository.release(tree, { tag, subject, message: `${subject}\n\n${notes}\n` });
  step(`${tag} is ${released}. The files are in ${out}; publish them as CONTRIBUTING.md says`);
}

/** Copies the last commit, or in a dry run the files as they are, with the dependencies as hard links. */
async function copySource(tree: string): Promise<void> {
  await rm(source, { recursive: true, force: true });
  await mkdir(join(source, 'dist'), { recursive: true });
  repository.write(tree, source);
  const installed = join(repository.folder, 'node_modules');
  // Without the caches of tools, whose files change while they run beside this.
  const isCache = (name: string) => /^\.(?!bin$|package-lock\.json$)/.test(name);
  const packages = (await readdir(installed)).filter((name) => !isCache(name));
  await mkdir(join(source, 'node_modules'));
  // Not a symbolic link, which bundlers follow: paths would differ.
  execFileSync('cp', ['-al', ...packages, join(source, 'node_modules')], {
    cwd: installed,
    stdio: 'inherit',
  });
  await mkdir(runtimes, { recursive: true });
  await symlink(runtimes, join(source, 'dist/runtimes'));
}

/** Sets the version in the copy. @returns the notes for readers */
async function cut(version: string, date: string, isDry: boolean): Promise<string> {
  const change = async (name: string, changed: (text: string) => string) => {
    const file = join(source, name);
    await writeFile(file, changed(await readFile(file, 'utf8')));
  };
  let notes = '';
  await change('CHANGELOG.md', (text) => {
    const cut = cutChangelog(text, version, date);
    if (cut.problem !== null && !isDry) throw new ReleaseRefused(cut.problem);
    if (cut.problem !== null) step(`To be done before the release: ${cut.problem}`);
    notes = cut.notes;
    return cut.changelog;
  });
  await change('public/sdk/csharp/CHANGELOG.md', (text) =>
    extendUnityChangelog(text, { version, date, notes }),
  );
  await setVersion(source, version);
  const run = (...args: string[]) =>
    execFileSync(process.execPath, args, { cwd: source, stdio: ['ignore', 'inherit', 'inherit'] });
  run('src/tools/build/generate.ts'); // the sizes of SDKs may change with the version
  run('test/stability/record.ts', version);
  return notes;
}

function step(what: string): void {
  process.stdout.write(`\n== ${what}\n`);
}
