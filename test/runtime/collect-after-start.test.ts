import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { test } from 'vitest';
import { serveGantry } from '../support/gantry-process.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { until } from '../support/until.ts';

const module = JSON.stringify(new URL('../../src/runtime/collect-after-start.ts', import.meta.url).href);

/** Runs a program with `collectAfterStart`, `collections`, `busyFor` and `setTimeout`; returns what it printed. */
async function run(program: string): Promise<string> {
  await using directory = await temporaryDirectory();
  const file = join(directory.path, 'program.mjs');
  await writeFile(
    file,
    `import { constants, PerformanceObserver } from 'node:perf_hooks';
    import { setTimeout } from 'node:timers/promises';
    import { collectAfterStart } from ${module};
    let collections = 0;
    new PerformanceObserver((list) => {
      const isOurs = ({ detail }) => detail.flags & constants.NODE_PERFORMANCE_GC_FLAGS_ALL_AVAILABLE_GARBAGE;
      if (list.getEntries().some(isOurs)) collections++;
    }).observe({ entryTypes: ['gc'] });
    const busyFor = async (ms) => {
      for (const end = performance.now() + ms; performance.now() < end; await setTimeout(0)) {
        for (const pause = performance.now() + 20; performance.now() < pause; );
      }
    };
    ${program}`,
  );
  const { stdout } = await promisify(execFile)(process.execPath, [file], { timeout: 120_000 });
  return stdout.trim();
}

test.concurrent('a thread is collected once, and not before it is idle', async ({ expect }) => {
  const printed = await run(
    `collectAfterStart();
    await busyFor(5_000);
    const busy = collections;
    await setTimeout(5_000);
    const idle = collections;
    await setTimeout(4_000);
    console.log(busy, idle > 0, collections === idle);`,
  );
  expect(printed).toBe('0 true true');
});

test.concurrent('a thread that was busy from the start keeps its compiled code', async ({ expect }) => {
  const printed = await run(
    `collectAfterStart(3_000);
    await busyFor(5_000);
    await setTimeout(5_000);
    console.log(collections);`,
  );
  expect(printed).toBe('0');
});

test.runIf(process.platform === 'linux')('an idle server returns what its start has used', async () => {
  await using directory = await temporaryDirectory();
  await using server = await serveGantry(directory.path);
  const residentMegabytes = async () => {
    const status = await readFile(`/proc/${server.pid}/status`, 'utf8');
    return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) / 1024;
  };
  const before = await residentMegabytes();
  // V8 by itself waits for 100 s.
  await until('less memory', async () => (await residentMegabytes()) < before - 10);
});
