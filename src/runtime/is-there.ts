import { statSync } from 'node:fs';

/** Unlike `existsSync`, does not take for missing what this user may not look at. @throws the system's error */
export function isThere(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}
