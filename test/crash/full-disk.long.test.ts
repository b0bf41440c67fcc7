import { expect, test } from 'vitest';
import { mayMountDisk } from '../support/small-disk.ts';
import { endures, fullDisk } from './full-disk.ts';

test.skipIf(!mayMountDisk)(
  `a full disk refuses writes with a clear error and nothing else, and they resume automatically${mayMountDisk ? '' : ' (skipped: mounting a small disk takes root)'}`,
  async () => {
    const report = await fullDisk(2);
    expect(report).toMatchObject({
      rounds: 2,
      lost: 0,
      integrity: 'ok',
      readiness: expect.stringMatching(/^The disk with the data directory is full\. Make room/),
    });
    expect(report).toSatisfy(endures);
    expect(report.refused).toBeGreaterThanOrEqual(400);
  },
);
