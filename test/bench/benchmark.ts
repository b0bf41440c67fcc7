/** One line of the table: a figure of ours beside the same figure of what it is held against. */
export interface Row {
  name: string;
  variant: string;
  /** The median of the rounds' own `ours / against`, so that a slow spell of the machine hits both. */
  ratio: number;
  /** Medians of the rounds, in `unit`. */
  ours: number;
  against: number;
  /** Medians of what one of the unit takes of processors in the server's process, in microseconds; where that was looked at. */
  ourCpuMicroseconds?: number;
  theirCpuMicroseconds?: number;
  unit: string;
  /** How far the farthest round's ratio lies from `ratio`, as a fraction of it. */
  spread: number;
  rounds: number;
  /** What the ratio should be; shown in the table, asserted nowhere. */
  aim: string;
}

export interface Settings {
  /** Measured rounds of each side; a warm-up comes before them. */
  rounds: number;
  /** How long a benchmark puts load on its servers, warm-ups included, all its variants together. */
  loadSeconds: number;
  /** Where our server leaves the CPU profile of its whole run; undefined: it makes none. */
  cpuProfiles: string | undefined;
  /** Where benchmarks that draw something leave their pictures; undefined: they draw none. */
  pictures: string | undefined;
  /** A look only: what takes more than some minutes is left out. */
  isQuick: boolean;
  /** Tells whoever waits what is going on. */
  say(line: string): void;
}

/** How long one round of one side may last for that, in seconds. */
export function roundSeconds({ rounds, loadSeconds }: Settings, variants: number): number {
  return loadSeconds / (variants * (rounds + 1) * 2);
}

/** A question put to both sides. It starts what it needs, and leaves nothing behind. */
export interface Benchmark {
  name: string;
  /** Other names it is asked for by. */
  aliases?: readonly string[];
  /** What is measured, and what it is held against. */
  summary: string;
  run(settings: Settings): Promise<Row[]>;
}
