import { failuresOf, readReport } from './reports.ts';

// Prints the closing line of .ci/run, `N passed, N failed, N skipped`, and ends with 1 when the run is not to
// be accepted. Arguments: the smoke's exit status, and for each run of tests vitest's JSON report, its exit status, and
// where the files that failed were run once more, the exit status of that (else `-`).

const [smokeStatus, ...runs] = process.argv.slice(2);
const total = { passed: 0, failed: smokeStatus === '0' ? 0 : 1, skipped: 0 };
for (let at = 0; at < runs.length; at += 3) {
  const [file = '', status, again] = runs.slice(at, at + 3);
  const results = readReport(file);
  const failedTests = failuresOf(results).flatMap(({ tests }) => tests);
  const passedAgain = again === '0' ? failedTests : [];
  for (const name of passedAgain)
    process.stdout.write(`failed among all others and passed by itself: ${name}\n`);
  // An error outside of any test is in vitest's exit status only.
  const failedRun = failedTests.length === 0 && status !== '0' ? 1 : 0;
  total.passed += results.numPassedTests + passedAgain.length;
  total.failed += failedTests.length - passedAgain.length + failedRun;
  total.skipped += results.numPendingTests + results.numTodoTests;
}
process.stdout.write(`${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped\n`);

const skippingAllowed = process.env.CI === undefined || process.env.CI === 'false';
if (total.failed > 0 || (total.skipped > 0 && !skippingAllowed)) process.exitCode = 1;
