import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { compiledVariable } from './support/compiled-folder.ts';
import { compileProgram } from './support/compiled-program.ts';
import { testCache } from './support/test-cache.ts';

/**
 * Runs before the first test, and before every rerun of `--watch`: compiles what the tests start in processes and
 * threads.
 */
export default async function compile(project: TestProject): Promise<void> {
  const compileAgain = async () => {
    process.env[compiledVariable] = await compileProgram();
  };
  await compileAgain();
  process.env.NODE_COMPILE_CACHE ??= join(testCache, 'loaded'); // for the threads and processes of all test files
  project.onTestsRerun(compileAgain);
}
