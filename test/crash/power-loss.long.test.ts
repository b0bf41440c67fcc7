import { spawnSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { powerLoss, survives } from './power-loss.ts';

const hasStrace = spawnSync('strace', ['--version']).status === 0;

describe.skipIf(!hasStrace)(`a power cut${hasStrace ? '' : ' (skipped: strace is not installed)'}`, () => {
  test('at any moment loses nothing that was acknowledged', async () => {
    const report = await powerLoss({ images: 40, writes: 1_500 });
    expect(report).toSatisfy(survives);
    expect(report).toMatchObject({ images: 40, damaged: 0 });
    expect(report.acknowledgedChecked).toBeGreaterThan(10_000);
  });

  test('would lose acknowledged writes if a commit did not wait for the disk, and the test detects it', async () => {
    const report = await powerLoss({ images: 40, writes: 1_500, synchronous: 'NORMAL' });
    expect(report).not.toSatisfy(survives);
    expect(report.lost).toBeGreaterThan(0);
    expect(report.notIntact).toBe(0); // it is late, not broken
    expect(report.keysLost).toBe(0); // which are synced separately
  });
});
