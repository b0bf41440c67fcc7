import type { Row } from './benchmark.ts';
import { useOf } from './process-use.ts';
import { type Figure, interleave, median, type RoundSettings, type Sides, toRow } from './rounds.ts';
import type { ServerProcess } from './server-process.ts';

/** The amount done under load: how many, and how many per second. */
export interface Done {
  count: number;
  perSecond: number;
}

/** A round of load on a server. */
export interface Throughput extends Done {
  /**
   * CPU time per unit in the server's process, all its threads, in microseconds; NaN where the system does not report
   * it.
   */
  cpuMicroseconds: number;
}

/** Loads a server, and measures its resource use meanwhile. */
export async function throughput<Load extends Done>(
  { child }: Pick<ServerProcess, 'child'>,
  load: () => Promise<Load>,
): Promise<Load & Throughput> {
  const before = useOf(child.pid);
  const done = await load();
  const after = useOf(child.pid);
  const cpuSeconds = (after?.cpuSeconds ?? Number.NaN) - (before?.cpuSeconds ?? Number.NaN);
  return { ...done, cpuMicroseconds: (cpuSeconds * 1e6) / done.count };
}

/** Measures both sides in turn and returns the row, with the CPU time of each. */
export async function compareThroughput(
  figure: Figure,
  sides: Sides<Throughput>,
  settings: RoundSettings,
): Promise<Row> {
  const { ours, against } = await interleave(figure, sides, settings);
  return throughputRow(figure, ours, against);
}

/** The row of two lists of rounds, the nth of each taken in turn. */
export function throughputRow(
  figure: Figure,
  ours: readonly Throughput[],
  against: readonly Throughput[],
): Row {
  const rates = (rounds: readonly Throughput[]) => rounds.map(({ perSecond }) => perSecond);
  const cpu = (rounds: readonly Throughput[]) => median(rounds.map(({ cpuMicroseconds }) => cpuMicroseconds));
  return {
    ...toRow(figure, rates(ours), rates(against)),
    ourCpuMicroseconds: cpu(ours),
    theirCpuMicroseconds: cpu(against),
  };
}
