import { spawnSync } from 'node:child_process';

/**
 * The files below a directory in whose bytes a text can be found, in whatever letter case. Searched by another
 * process: SQLite's locks are the process's, and closing a database file here would let go of a server's.
 */
export function filesWithText(directory: string, text: string): string[] {
  const search = spawnSync('grep', ['-rlaiF', '-e', text, directory], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH, LC_ALL: 'C' },
  });
  const found = search.status === 0;
  if (!found && search.status !== 1) throw new Error(`grep could not search ${directory}: ${search.stderr}`);
  return search.stdout
    .split('\n')
    .filter(Boolean)
    .map((file) => file.slice(directory.length + 1));
}
