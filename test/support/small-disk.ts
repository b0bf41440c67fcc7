import { execFileSync } from 'node:child_process';
import { type TemporaryDirectory, temporaryDirectory } from './temporary-directory.ts';

/** Only root may mount one. */
export const mayMountDisk = process.getuid?.() === 0;

/** An in-memory file system with a capacity in MiB. */
export async function smallDisk(mebibytes: number): Promise<TemporaryDirectory> {
  const directory = await temporaryDirectory();
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${mebibytes}m`, 'tmpfs', directory.path]);
  return {
    path: directory.path,
    async [Symbol.asyncDispose]() {
      execFileSync('umount', [directory.path]);
      await directory[Symbol.asyncDispose]();
    },
  };
}
