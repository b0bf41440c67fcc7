import { failuresOf, readReport } from './reports.ts';

// Prints the closing line of .ci/run, `N passed, N failed, N skipped`, and ends with 1 when the run is not to
// be accepted. Arguments: vitest's JSON report and its exit status, the smoke's exit status, and where the files that
// failed were run once more, the exit status of that.

const [file = '', vitestStatus, smokeStatus, secondStatus] = process.argv.slice(2);
const results = readReport(file);
const failedTests = failuresOf(results).flatMap(({ tests }) => tests);
const passedAgain = secondStatus === '0' ? failedTests : [];
for (const name of passedAgain)
  process.stdout.write(`failed among all others and passed by itself: ${name}\n`);
// An error outside of any test is in vitest's exit status only.
const failedRun = failedTests.length === 0 && vitestStatus !== '0' ? 1 : 0;
const failedSmoke = smokeStatus === '0' ? 0 : 1;

const passed = results.numPassedTests + passedAgain.length;
const failed = failedTests.length - passedAgain.length + failedRun + failedSmoke;
const skipped = results.numPendingTests + results.numTodoTests;
process.stdout.write(`${passed} passed, ${failed} failed, ${skipped} skipped\n`);

const skippingAllowed = process.env.CI === undefined || process.env.CI === 'false';
if (failed > 0 || (skipped > 0 && !skippingAllowed)) process.exitCode = 1;
