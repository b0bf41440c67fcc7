import { readFileSync } from 'node:fs';
import { z } from 'zod';

// Prints the closing line of .ci/run, `N passed, N failed, N skipped`, and ends with 1 when the run is not to
// be accepted. Arguments: vitest's JSON report, its exit status, and the smoke's exit status.

const report = z.object({
  numPassedTests: z.int(),
  numFailedTests: z.int(),
  numPendingTests: z.int(),
  numTodoTests: z.int(),
  testResults: z.array(
    z.object({ status: z.string(), assertionResults: z.array(z.object({ status: z.string() })) }),
  ),
});

const [file = '', vitestStatus, smokeStatus] = process.argv.slice(2);
const results = report.parse(JSON.parse(readFileSync(file, 'utf8')));

// A file that could not be loaded fails without having a failed test.
const brokenFiles = results.testResults.filter(
  ({ status, assertionResults }) =>
    status === 'failed' && !assertionResults.some((one) => one.status === 'failed'),
);
const failedTests = results.numFailedTests + brokenFiles.length;
// An error outside of any test is in vitest's exit status only.
const failedRun = failedTests === 0 && vitestStatus !== '0' ? 1 : 0;
const failedSmoke = smokeStatus === '0' ? 0 : 1;

const failed = failedTests + failedRun + failedSmoke;
const skipped = results.numPendingTests + results.numTodoTests;
process.stdout.write(`${results.numPassedTests} passed, ${failed} failed, ${skipped} skipped\n`);

const skippingAllowed = process.env.CI === undefined || process.env.CI === 'false';
if (failed > 0 || (skipped > 0 && !skippingAllowed)) process.exitCode = 1;
