import { readFileSync } from 'node:fs';
import { z } from 'zod';

/** The parts of vitest's JSON report that .ci/run uses. */
const report = z.object({
  numPassedTests: z.int(),
  numFailedTests: z.int(),
  numPendingTests: z.int(),
  numTodoTests: z.int(),
  testResults: z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      assertionResults: z.array(z.object({ status: z.string(), fullName: z.string() })),
    }),
  ),
});

export type Report = z.infer<typeof report>;

export function readReport(file: string): Report {
  return report.parse(JSON.parse(readFileSync(file, 'utf8')));
}

/** Failures by file. A file that could not be loaded fails without a failed test, and counts as one. */
export function failuresOf({ testResults }: Report): { file: string; tests: string[] }[] {
  return testResults
    .filter(({ status }) => status === 'failed')
    .map(({ name, assertionResults }) => {
      const failed = assertionResults.filter((one) => one.status === 'failed').map((one) => one.fullName);
      return { file: name, tests: failed.length > 0 ? failed : [`${name}, as a whole`] };
    });
}
