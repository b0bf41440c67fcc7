/**
 * The crash tests at full size, one or all of them:
 *
 *   node test/crash/full.ts kills
 *
 * Progress goes to standard error, the counts as JSON to standard output. Exits 1 when anything was lost.
 */
import { isComplete } from './audit.ts';
import { clockJumps, keepsOrder } from './clock-jumps.ts';
import { damagedFiles, refusesAll } from './damaged-files.ts';
import { endures, fullDisk } from './full-disk.ts';
import { killUnderLoad } from './kill-under-load.ts';
import { isSteady, longReader, outlasts } from './long-reader.ts';
import { powerLoss, survives } from './power-loss.ts';

const powerCuts = { images: 400, writes: 10_000 };

/** A test's counts, and whether they are as expected. */
interface Proved {
  holds: boolean;
  counts: object;
}

const proofs: Record<string, () => Promise<Proved>> = {
  kills: async () => {
    const counts = await killUnderLoad(200, ({ kills, answered, lost }) =>
      progress(`${kills} kills, ${answered} writes answered, ${lost} lost`),
    );
    return { counts, holds: isComplete(counts) && counts.readsMissing === 0 };
  },
  power: async () => {
    const counts = await powerLoss(powerCuts, ({ images, lost }) =>
      progress(`${images} power cuts, ${lost} lost`),
    );
    return { counts, holds: survives(counts) };
  },
  // The same with a fault that it must find.
  'power-synchronous-normal': async () => {
    const counts = await powerLoss({ ...powerCuts, synchronous: 'NORMAL' }, ({ images, lost }) =>
      progress(`${images} power cuts without waiting for the disk, ${lost} lost`),
    );
    return { counts, holds: counts.lost > 0 };
  },
  disk: async () => {
    const counts = await fullDisk(20, ({ rounds, refused, lost }) =>
      progress(`the disk was full ${rounds} times, ${refused} writes refused, ${lost} lost`),
    );
    return { counts, holds: endures(counts) };
  },
  reader: async () => {
    const counts = await longReader({ heldMs: 30_000, logBytes: 300 * 1024 * 1024 });
    return { counts, holds: outlasts(counts) && isSteady(counts) };
  },
  clock: async () => {
    const counts = await clockJumps(200, 10, ({ jumps, answered, lost, outOfOrder }) =>
      progress(
        `${jumps} jumps of the clock, ${answered} writes answered, ${lost} lost, ${outOfOrder} out of order`,
      ),
    );
    return { counts, holds: keepsOrder(counts) };
  },
  files: async () => {
    const counts = await damagedFiles(30, ({ starts, startedAnyway, damagedLogs }) =>
      progress(
        `${starts} starts on damaged files, ${startedAnyway} not refused; ${damagedLogs} damaged logs`,
      ),
    );
    return { counts, holds: refusesAll(counts) };
  },
};

const [name] = process.argv.slice(2);
if (name !== undefined && !(name in proofs)) {
  process.stderr.write(
    `There is no proof ${name}: choose of ${Object.keys(proofs).join(', ')}, or none for all\n`,
  );
  process.exit(1);
}
for (const [each, prove] of Object.entries(proofs)) {
  if (name !== undefined && name !== each) continue;
  const startedAt = performance.now();
  const { holds, counts } = await prove();
  const seconds = Math.round((performance.now() - startedAt) / 1_000);
  process.stdout.write(`${JSON.stringify({ proof: each, holds, seconds, ...counts }, null, 2)}\n`);
  if (!holds) process.exitCode = 1;
}

function progress(line: string): void {
  process.stderr.write(`${line}\n`);
}
