import type { TestProject } from 'vitest/node';
import { compiledVariable } from './support/compiled-folder.ts';
import { compileProgram } from './support/compiled-program.ts';

/** Before the first test, and again before every run of `--watch`: what the tests start in processes and threads. */
export default async function compile(project: TestProject): Promise<void> {
  const compileAgain = async () => {
    process.env[compiledVariable] = await compileProgram();
  };
  await compileAgain();
  project.onTestsRerun(compileAgain);
}
