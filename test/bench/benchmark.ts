/** One line of the table: a figure of ours beside the same figure of its baseline. */
export interface Row {
  name: string;
  variant: string;
  /** The median of the rounds' individual `ours / against`, so that a slow period of the machine affects both. */
  ratio: number;
  /** Medians of the rounds, in `unit`. */
  ours: number;
  against: number;
  /** Median CPU time per unit in the server's process, in microseconds; where it was measured. */
  ourCpuMicroseconds?: number;
  theirCpuMicroseconds?: number;
  unit: string;
  /** The largest deviation of a round's ratio from `ratio`, as a fraction of it. */
  spread: number;
  rounds: number;
  /** The target ratio; shown in the table, not asserted. */
  aim: string;
  /** Whatever else was measured of each side, for the JSON only: medians by name. */
  figures?: { ours: Readonly<Record<string, number>>; against: Readonly<Record<string, number>> };
}

export interface Settings {
  /** Measured rounds of each side, after a warm-up. */
  rounds: number;
  /** How long a benchmark loads its servers in total, including warm-ups and all its variants. */
  loadSeconds: number;
  /** Where our server writes the CPU profile of its whole run; undefined: none. */
  cpuProfiles: string | undefined;
  /** Where benchmarks write their charts; undefined: they draw none. */
  pictures: string | undefined;
  /** A quick run: what takes more than a few minutes is skipped. */
  isQuick: boolean;
  /** Reports progress. */
  say(line: string): void;
}

/** How long one round of one side may last accordingly, in seconds. */
export function roundSeconds({ rounds, loadSeconds }: Settings, variants: number): number {
  return loadSeconds / (variants * (rounds + 1) * 2);
}

/** A measurement of both sides. It starts what it needs, and leaves nothing behind. */
export interface Benchmark {
  name: string;
  /** Other names it can be selected by. */
  aliases?: readonly string[];
  /** What is measured, and its baseline. */
  summary: string;
  run(settings: Settings): Promise<Row[]>;
}
