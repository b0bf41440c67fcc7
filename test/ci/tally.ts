import { failuresOf, readReport } from './reports.ts';

// Prints the closing line of .ci/run, `N passed, N failed, N skipped`, and ends with 1 when the run failed. Arguments:
// the smoke test's exit status, and for each test run vitest's JSON report, its exit status, and, when the failed files
// were rerun, the exit status of that (else `-`).

const [smokeStatus, ...runs] = process.argv.slice(2);
const total = { passed: 0, failed: smokeStatus === '0' ? 0 : 1, skipped: 0 };
for (let at = 0; at < runs.length; at += 3) {
  const [file = '', status, again] = runs.slice(at, at + 3);
  const results = readReport(file);
  const failedTests = failuresOf(results).flatMap(({ tests }) => tests);
  const passedAgain = again === '0' ? failedTests : [];
  for (const name of passedAgain)
    process.stdout.write(`failed among all others and passed by itself: ${name}\n`);
  // An error outside of any test appears in vitest's exit status only.
  const failedRun = failedTests.length === 0 && status !== '0' ? 1 : 0;
  total.passed += results.numPassedTests + passedAgain.length;
  total.failed += failedTests.length - passedAgain.length + failedRun;
  total.skipped += results.numPendingTests + results.numTodoTests;
}
process.stdout.write(`${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped\n`);

const skippingAllowed = process.env.CI === undefined || process.env.CI === 'false';
if (total.failed > 0 || (total.skipped > 0 && !skippingAllowed)) process.exitCode = 1;
