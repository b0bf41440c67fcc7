import { spawnSync } from 'node:child_process';

/**
 * The files below a directory whose bytes contain a text, case-insensitively. Another process searches: SQLite's locks
 * belong to the process, and closing a database file here would release a server's.
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
