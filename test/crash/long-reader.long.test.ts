import { expect, test } from 'vitest';
import { longReader, outlasts } from './long-reader.ts';

test('while another process reads, writes continue and the log grows; then it shrinks under load, automatically', async () => {
  const report = await longReader({ heldMs: 0, logBytes: 96 * 1024 * 1024 });
  expect(report).toMatchObject({ refused: 0, lost: 0, integrity: 'ok', readyAgain: true });
  expect(report).toSatisfy(outlasts);
  expect(report.logMebibytes).toBeGreaterThanOrEqual(96);
});
