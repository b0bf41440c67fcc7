import { chownSync, statSync } from 'node:fs';

/**
 * Gives a file to the owner of another one, or of a directory. Root may run a command on the data directory of the
 * server's user, who has to be able to open what it writes; other users can only write files of their own.
 */
export function giveToOwner(of: string, file: string): void {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(of);
  chownSync(file, uid, gid);
}
