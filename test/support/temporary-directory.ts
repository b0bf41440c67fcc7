import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface TemporaryDirectory extends AsyncDisposable {
  path: string;
}

/** An empty directory, removed with its contents: `await using directory = await temporaryDirectory()`. */
export async function temporaryDirectory(parent = tmpdir()): Promise<TemporaryDirectory> {
  await mkdir(parent, { recursive: true });
  const path = await mkdtemp(join(parent, 'gantry-test-'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}
