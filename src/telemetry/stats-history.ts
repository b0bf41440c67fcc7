import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { z } from 'zod';
import { type StatsSample, statsSample } from './stats.ts';

/** The ranges longer than the raw samples cover, with the length and number of their steps. */
export const historyRanges = {
  hour: { everyMs: 10_000, steps: 360 },
  day: { everyMs: 2 * 60_000, steps: 720 },
  week: { everyMs: 15 * 60_000, steps: 672 },
} as const;
export type HistoryRange = keyof typeof historyRanges;
const ranges = ['hour', 'day', 'week'] as const satisfies readonly HistoryRange[];

/** How often the file is written, by the time of the samples; a killed process loses at most this much. */
const writeIntervalMs = 60_000;

/** A step, with the number of its samples. */
type Step = StatsSample & { count: number };
/** Rows of numbers take a third of the space of objects. */
const columns = [...statsSample.keyof().options, 'count'] as const;
const rows = z.array(z.array(z.unknown()));
const historyFile = z.object({ columns: z.array(z.string()), hour: rows, day: rows, week: rows });

/**
 * Statistics of an hour, a day and a week, in a JSON file that survives a restart, of this server only. It is replaced as
 * a whole, once a minute and on close. Without a file, or on a full disk, the history continues in memory.
 */
export class StatsHistory {
  readonly #file: string | null;
  /** The steps of each range by their times, oldest first. */
  readonly #steps: Record<HistoryRange, Map<number, Step>>;
  #writtenAt = 0;
  #isWriting = false;
  #isClosed = false;

  constructor(file: string | null) {
    this.#file = file;
    this.#steps = read(file);
  }

  /** Adds a sample to its step in each range. */
  add(sample: StatsSample): void {
    for (const range of ranges) {
      const { everyMs, steps: count } = historyRanges[range];
      const at = Math.floor(sample.at / everyMs) * everyMs;
      const steps = this.#steps[range];
      steps.set(at, addTo(steps.get(at), { ...sample, at }));
      const [oldest] = steps.keys();
      if (steps.size > count && oldest !== undefined) steps.delete(oldest);
    }
    if (Math.abs(sample.at - this.#writtenAt) < writeIntervalMs || this.#isWriting) return;
    this.#writtenAt = sample.at;
    void this.#write();
  }

  /** The steps of a range that begin after a point in time, oldest first, including the current, incomplete one. */
  samples(range: HistoryRange, after: number): StatsSample[] {
    const { everyMs, steps } = historyRanges[range];
    const now = Date.now();
    const oldest = Math.max(after, now - everyMs * steps);
    return [...this.#steps[range].values()]
      .filter(({ at }) => at > oldest && at <= now)
      .sort((one, other) => one.at - other.at)
      .map(({ count, ...sample }) => sample);
  }

  /** Writes the file. */
  close(): void {
    this.#isClosed = true;
    if (this.#file === null) return;
    const draft = `${this.#file}.closing`; // another may be in the middle of being written
    try {
      writeFileSync(draft, this.#toJson(), { mode: 0o600 });
      renameSync(draft, this.#file);
    } catch {
      // What was written before is in the file.
    }
  }

  /** Errors are ignored: a full disk must not stop the server. */
  async #write(): Promise<void> {
    if (this.#file === null) return;
    this.#isWriting = true;
    const draft = `${this.#file}.partial`;
    try {
      await writeFile(draft, this.#toJson(), { mode: 0o600 });
      if (!this.#isClosed) await rename(draft, this.#file);
    } catch {
      // Tried again in a minute.
    } finally {
      this.#isWriting = false;
    }
  }

  #toJson(): string {
    const rowsOf = (range: HistoryRange) =>
      [...this.#steps[range].values()].map((step) => columns.map((column) => step[column]));
    return JSON.stringify({ columns, hour: rowsOf('hour'), day: rowsOf('day'), week: rowsOf('week') });
  }
}

/** Rates are averaged; of gauges the highest counts, of sizes the last. */
function addTo(step: Step | undefined, sample: StatsSample): Step {
  if (!step) return { ...sample, count: 1 };
  const count = step.count + 1;
  const mean = (rate: 'requestsPerSecond' | 'refusedPerSecond' | 'errorsPerSecond' | 'eventsPerSecond') =>
    step[rate] + (sample[rate] - step[rate]) / count;
  return {
    ...sample,
    count,
    sockets: Math.max(step.sockets, sample.sockets),
    present: Math.max(step.present, sample.present),
    requestsPerSecond: mean('requestsPerSecond'),
    refusedPerSecond: mean('refusedPerSecond'),
    errorsPerSecond: mean('errorsPerSecond'),
    eventsPerSecond: mean('eventsPerSecond'),
    p99Ms: step.p99Ms === null ? sample.p99Ms : Math.max(step.p99Ms, sample.p99Ms ?? 0),
    queueDepth: Math.max(step.queueDepth, sample.queueDepth),
  };
}

/** A file's steps; none when there is no file, or it is damaged or of another version. */
function read(file: string | null): Record<HistoryRange, Map<number, Step>> {
  try {
    const { columns: names, ...stored } = historyFile.parse(JSON.parse(readFileSync(file ?? '', 'utf8')));
    const stepsOf = (of: unknown[][]) => {
      const found = of.map((row) => Object.fromEntries(names.map((name, at) => [name, row[at]])));
      return new Map(found.filter(isStep).map((step) => [step.at, step]));
    };
    return { hour: stepsOf(stored.hour), day: stepsOf(stored.day), week: stepsOf(stored.week) };
  } catch {
    return { hour: new Map(), day: new Map(), week: new Map() };
  }
}

/** Less thorough than a schema, which would take most of the time that reading the file adds to a start. */
function isStep(value: Readonly<Record<string, unknown>>): value is Step {
  return columns.every((name) => {
    const isNullable = name === 'p99Ms' || name === 'logBytes';
    return Number.isFinite(value[name]) || (isNullable && value[name] === null);
  });
}
