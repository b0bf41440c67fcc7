import { failuresOf, readReport } from './reports.ts';

// Prints the files whose tests failed, one per line. Argument: vitest's JSON report.
for (const { file } of failuresOf(readReport(process.argv[2] ?? ''))) process.stdout.write(`${file}\n`);
