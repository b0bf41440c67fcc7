import { accessSync, constants, type Stats, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { shellQuote } from '../../core/command-hint.ts';
import { codeOf } from '../../runtime/error-code.ts';
import { error, type Finding } from './finding.ts';

const { R_OK, W_OK, X_OK } = constants;
const permissions = { read: R_OK, 'read and write': R_OK | W_OK, enter: X_OK, use: R_OK | W_OK | X_OK };

/** An error when this process may not use a file or directory in that way, with what to do about it; otherwise null. */
export function checkAccess(
  check: string,
  path: string,
  action: keyof typeof permissions,
  stats: Stats = statSync(path),
): Finding | null {
  if (isAllowed(path, permissions[action])) return null;
  const mode = (stats.mode & 0o777).toString(8).padStart(3, '0');
  const ownUid = process.getuid?.();
  const problem = `permission denied: uid ${ownUid ?? '?'} may not ${action} ${path} (owner: uid ${stats.uid}, mode ${mode})`;
  const quoted = shellQuote(path);
  if (stats.uid === ownUid) {
    return error(check, problem, `chmod ${stats.isDirectory() ? 700 : 600} ${quoted}`);
  }
  // Giving away a directory above the data directory could lock out its other users.
  const grant =
    action === 'enter'
      ? `let other users pass through it: sudo chmod o+x ${quoted}`
      : `give it to this user: sudo chown ${stats.isDirectory() ? '-R ' : ''}${ownUid} ${quoted}`;
  // Files of root come from a command run with sudo by mistake; a server should not run as root.
  const asOwner = stats.uid === 0 ? '' : `run Gantry as the owner (sudo -u '#${stats.uid}' …), or `;
  const remedy = `${asOwner}${grant}`;
  return error(check, problem, `${remedy.charAt(0).toUpperCase()}${remedy.slice(1)}`);
}

/** What is at a path: null when nothing is, and `blockedBy` when a directory above it may not be entered. */
export function statsOf(path: string): Stats | null | { blockedBy: string } {
  try {
    return statSync(path, { throwIfNoEntry: false }) ?? null;
  } catch (thrown) {
    if (codeOf(thrown) !== 'EACCES') throw thrown;
    return { blockedBy: nearestVisible(dirname(path)) };
  }
}

function nearestVisible(path: string): string {
  const stats = statsOf(path);
  return stats !== null && 'blockedBy' in stats ? stats.blockedBy : path;
}

function isAllowed(path: string, mode: number): boolean {
  try {
    accessSync(path, mode);
    return true;
  } catch {
    return false;
  }
}
