import { expect, test } from 'vitest';
import { damagedFiles, refusesAll } from './damaged-files.ts';

test('a start on damaged files fails with instructions, and changes none of them', async ({ skip }) => {
  const report = await damagedFiles(1);
  expect(report).toMatchObject({
    startedAnyway: 0,
    unclearErrors: [],
    changedFiles: [],
    unrecoveredLogs: [],
  });
  expect(report).toSatisfy(refusesAll);
  expect(report.starts + report.skipped.length).toBe(15);
  expect(report.damagedLogs).toBe(4);
  skip(report.skipped.length > 0, report.skipped.join()); // everything that could be tested passed
});
