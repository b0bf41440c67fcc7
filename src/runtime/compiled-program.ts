import { readFileSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Where tools/build/program.ts compiles this source to, with its dependencies. */
export const compiledFolder = new URL('../../node_modules/.cache/gantry/', import.meta.url);

/** What the compiled program was made of: files relative to the repository, and what `stateOf` said of them. */
export interface CompiledProgram {
  /** In `compiledFolder`. */
  folder: string;
  /** `environment` at that time. */
  madeIn: string;
  states: Record<string, string>;
}

/** The compiled program contains the path of the repository, and the syntax of this Node. */
export const environment = `${process.version} ${compiledFolder}`;

/** The size and time of a file of the repository. */
export function stateOf(file: string): string {
  const { size, mtimeMs } = statSync(new URL(`../../${file}`, import.meta.url));
  return `${size} ${mtimeMs}`;
}

/**
 * The entry file of the program as it was compiled from this source; null when there is none, or when a source file or
 * the installed packages have changed since.
 */
export function compiledProgram(): URL | null {
  try {
    const text = readFileSync(new URL('current.json', compiledFolder), 'utf8');
    const { folder, madeIn, states }: CompiledProgram = JSON.parse(text);
    if (madeIn !== environment) return null;
    const entry = new URL(`${folder}/gantry.js`, compiledFolder);
    statSync(entry);
    return Object.entries(states).every(([file, state]) => stateOf(file) === state) ? entry : null;
  } catch {
    return null;
  }
}

/**
 * Compiles this source for the next start, at the lowest priority. Without esbuild or a writable directory it fails
 * silently, and every start loads the source.
 */
export async function compileInBackground(): Promise<void> {
  const { spawn } = await import('node:child_process');
  const { setPriority } = await import('node:os');
  const program = fileURLToPath(new URL('../tools/build/program.ts', import.meta.url));
  const build = spawn(process.execPath, [program], { stdio: 'ignore' });
  build.on('error', () => undefined);
  build.once('spawn', () => {
    try {
      if (build.pid !== undefined) setPriority(build.pid, 19);
    } catch {
      // It has ended already.
    }
  });
  build.unref();
}
