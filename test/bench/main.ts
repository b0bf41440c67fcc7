import { mkdirSync, statfsSync } from 'node:fs';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import { benchmarks } from './all.ts';
import type { Benchmark, Row } from './benchmark.ts';
import { json, table } from './table.ts';

interface Options {
  json?: boolean;
  quick?: boolean;
  seconds?: number;
  cpuProf?: string;
  pictures?: string;
}

/** The file system type of an in-memory directory (Linux, magic.h). */
const tmpfs = 0x01021994;

const names = benchmarks.map(({ name, summary }) => `  ${name.padEnd(14)}${summary}`).join('\n');

const program = new Command('bench')
  .description('measure Gantry against bare servers on this machine; figures are ratios of the same run')
  .argument('[names...]', 'which to run; default: all')
  .option('--json', 'print JSON instead of a table')
  .option('--quick', 'fewer and shorter rounds, and at most a million rows: a quick run, not a measurement')
  .option(
    '--seconds <seconds>',
    'load duration of each benchmark (default 30); JIT warm-up takes some 20',
    secondsOf,
  )
  .option('--cpu-prof <directory>', 'leave CPU profiles of our servers there, by benchmark')
  .option('--pictures <directory>', 'draw what is better seen than read, as SVG, into this directory')
  .addHelpText('after', `\nBenchmarks:\n${names}`)
  .action(bench);

async function bench(requested: string[], options: Options): Promise<void> {
  const unknown = requested.filter((name) => !benchmarks.some((one) => isCalled(one, name)));
  if (unknown.length > 0) {
    program.error(`There is no benchmark called ${unknown.join(', ')}. There are:\n${names}`);
  }
  const startedAt = performance.now();
  const say = (line: string) => {
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
    process.stderr.write(`[${seconds.padStart(4)} s] ${line}\n`);
  };
  say(`Node ${process.version}, ${availableParallelism()} × ${cpus()[0]?.model}, data in ${tmpdir()}`);
  if (statfsSync(tmpdir()).type === tmpfs) {
    say(`${tmpdir()} is in memory, where a durable write costs nothing: set TMPDIR to a place on a disk`);
  }
  if (options.pictures) mkdirSync(options.pictures, { recursive: true }); // fails now rather than at the end
  const rows: Row[] = [];
  for (const benchmark of benchmarks) {
    if (requested.length === 0 || requested.some((name) => isCalled(benchmark, name))) {
      rows.push(...(await run(benchmark, options, say)));
    }
  }
  process.stdout.write(options.json ? json(rows) : table(rows));
}

function secondsOf(text: string): number {
  const seconds = Number(text);
  if (!(seconds > 0 && seconds <= 3_600))
    throw new InvalidArgumentError('It must be above 0 and at most 3600.');
  return seconds;
}

function isCalled({ name, aliases = [] }: Benchmark, requested: string): boolean {
  return name === requested || aliases.includes(requested);
}

async function run({ name, ...benchmark }: Benchmark, options: Options, say: (line: string) => void) {
  const rows = await benchmark.run({
    isQuick: options.quick ?? false,
    rounds: options.quick ? 2 : 5,
    loadSeconds: options.seconds ?? (options.quick ? 6 : 30),
    cpuProfiles: options.cpuProf && join(options.cpuProf, name),
    pictures: options.pictures,
    say,
  });
  for (const row of rows) say(`${name}, ${row.variant}: ${row.ratio.toFixed(2)}`);
  return rows;
}

// Every process and directory of a benchmark ends with this one.
process.setMaxListeners(100);
// Interrupted by hand: the processes and directories are cleaned up too.
process.once('SIGINT', () => process.exit(130));
process.once('SIGTERM', () => process.exit(143));
await program.parseAsync();
