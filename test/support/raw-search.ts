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

/**
 * Whether a SQLite database file contains a text, case-insensitively, anywhere but in the unallocated part of a b-tree
 * page: when SQLite splits a page, what it moves to another one can stay there until that part is used again.
 */
export function usesText(file: string, text: string): boolean {
  const { stdout } = spawnSync('cat', [file], { maxBuffer: 1024 ** 3 }); // another process, as above
  const bytes = stdout.toString('latin1').toLowerCase();
  const pageBytes = stdout.readUInt16BE(16);
  for (
    let at = bytes.indexOf(text.toLowerCase());
    at !== -1;
    at = bytes.indexOf(text.toLowerCase(), at + 1)
  ) {
    const page = at - (at % pageBytes);
    if (!isUnallocated(stdout.subarray(page, page + pageBytes), page === 0 ? 100 : 0, at - page)) return true;
  }
  return false;
}

/** `header` is where the page's header begins: https://sqlite.org/fileformat2.html#b_tree_pages */
function isUnallocated(page: Buffer, header: number, at: number): boolean {
  const kind = page[header] ?? 0;
  if (![2, 5, 10, 13].includes(kind)) return false;
  const cells = page.readUInt16BE(header + 3);
  const cellPointers = header + (kind > 5 ? 8 : 12);
  return at >= cellPointers + 2 * cells && at < page.readUInt16BE(header + 5);
}
