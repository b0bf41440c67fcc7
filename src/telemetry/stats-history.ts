import { close, ftruncateSync, openSync, readFileSync, write, writeSync } from 'node:fs';
import type { StatsSample } from './stats.ts';

/** Longer ranges than the samples themselves cover: what each step of them comes to. */
export const historyRanges = {
  hour: { everyMs: 10_000, steps: 360 },
  day: { everyMs: 2 * 60_000, steps: 720 },
  week: { everyMs: 15 * 60_000, steps: 672 },
} as const;
export type HistoryRange = keyof typeof historyRanges;
const ranges = Object.keys(historyRanges) as HistoryRange[];

/** What a step is made of: a mean over its samples, the highest of them, or the last. */
const fields = [
  ['sockets', 'highest'],
  ['present', 'highest'],
  ['requestsPerSecond', 'mean'],
  ['refusedPerSecond', 'mean'],
  ['errorsPerSecond', 'mean'],
  ['eventsPerSecond', 'mean'],
  ['p99Ms', 'highest'],
  ['queueDepth', 'highest'],
  ['databaseBytes', 'last'],
  ['logBytes', 'last'],
] as const satisfies readonly (readonly [keyof StatsSample, 'mean' | 'highest' | 'last'])[];

/** A record is its step's time, how many samples it is of, and the fields; as doubles, NaN for null. */
const recordNumbers = 2 + fields.length;
const recordBytes = recordNumbers * 8;
const header = Buffer.from('gantry stats 1\n\0', 'latin1');
const steps = Object.values(historyRanges).reduce((sum, range) => sum + range.steps, 0);
const fileBytes = header.length + steps * recordBytes;
/** Written at a time, as a database is. */
const pageBytes = 4096;

/**
 * An hour, a day and a week of figures, in a file of a fixed size (165 KB) that survives a restart. Every range is a ring:
 * a step has its place by its time, and is written over the one a range ago. What was being counted is written every ten
 * seconds, so that a process that is killed loses no more. Without a file, or on a disk that is full, it goes on in memory.
 */
export class StatsHistory {
  readonly #bytes: Buffer;
  readonly #file: number | null;
  /** The hour's step that was written last. */
  #writtenAt = 0;

  constructor(file: string | null) {
    this.#bytes = read(file);
    this.#file = file === null ? null : open(file, this.#bytes);
  }

  /** Adds a sample to the step of each range that it falls into. */
  add(sample: StatsSample): void {
    for (const range of ranges) {
      const { everyMs } = historyRanges[range];
      this.#addTo(this.#record(range, sample.at), Math.floor(sample.at / everyMs) * everyMs, sample);
    }
    const hourStep = Math.floor(sample.at / historyRanges.hour.everyMs);
    if (hourStep === this.#writtenAt || this.#file === null) return;
    this.#writtenAt = hourStep;
    for (const range of ranges) {
      this.#write(this.#offset(range, sample.at - historyRanges[range].everyMs)); // which may have been added to since
      this.#write(this.#offset(range, sample.at));
    }
  }

  /** The steps of a range that begin after a moment, oldest first, the one under way as far as it is. */
  samples(range: HistoryRange, after: number): StatsSample[] {
    const { everyMs, steps: count } = historyRanges[range];
    const now = Date.now();
    const oldest = now - everyMs * count;
    const found: StatsSample[] = [];
    for (let index = 0; index < count; index++) {
      const sample = toSample(this.#view(this.#start(range) + index * recordBytes));
      if (sample !== null && sample.at > Math.max(after, oldest) && sample.at <= now) found.push(sample);
    }
    return found.sort((one, other) => one.at - other.at);
  }

  /** Writes everything. */
  close(): void {
    if (this.#file === null) return;
    try {
      for (let at = 0; at < fileBytes; at += pageBytes) {
        writeSync(this.#file, this.#bytes, at, Math.min(pageBytes, fileBytes - at), at);
      }
    } catch {
      // What was written before is there.
    }
    close(this.#file, () => {});
  }

  /** A disk that is full keeps nobody from serving: what cannot be written is left out. */
  #write(offset: number): void {
    if (this.#file === null) return;
    const record = Buffer.from(this.#bytes.subarray(offset, offset + recordBytes)); // it changes meanwhile
    write(this.#file, record, 0, recordBytes, offset, () => {});
  }

  #addTo(record: Float64Array, at: number, sample: StatsSample): void {
    const isNew = record[0] !== at;
    const count = isNew ? 0 : (record[1] ?? 0);
    record[0] = at;
    record[1] = count + 1;
    for (const [index, [field, how]] of fields.entries()) {
      const place = 2 + index;
      const value = sample[field] ?? Number.NaN;
      const before = isNew ? Number.NaN : (record[place] ?? Number.NaN);
      if (how === 'last' || Number.isNaN(before)) record[place] = value;
      else if (Number.isNaN(value)) continue;
      else if (how === 'highest') record[place] = Math.max(before, value);
      else record[place] = before + (value - before) / (count + 1);
    }
  }

  #record(range: HistoryRange, at: number): Float64Array {
    return this.#view(this.#offset(range, at));
  }

  #view(offset: number): Float64Array {
    return new Float64Array(this.#bytes.buffer, this.#bytes.byteOffset + offset, recordNumbers);
  }

  /** Where the step of a moment lies in the file. */
  #offset(range: HistoryRange, at: number): number {
    const { everyMs, steps: count } = historyRanges[range];
    return this.#start(range) + (Math.floor(at / everyMs) % count) * recordBytes;
  }

  #start(range: HistoryRange): number {
    let start = header.length;
    for (const [name, { steps: count }] of Object.entries(historyRanges)) {
      if (name === range) break;
      start += count * recordBytes;
    }
    return start;
  }
}

/** What a file holds; nothing where there is none, or one of another version or length. */
function read(file: string | null): Buffer {
  const bytes = Buffer.from(new ArrayBuffer(fileBytes)); // not of the pool: doubles have to lie at multiples of eight
  const found = file === null ? null : contentOf(file);
  if (found?.length === fileBytes && found.subarray(0, header.length).equals(header)) found.copy(bytes);
  else header.copy(bytes);
  return bytes;
}

function contentOf(file: string): Buffer | null {
  try {
    return readFileSync(file);
  } catch {
    return null;
  }
}

function open(file: string, bytes: Buffer): number | null {
  try {
    const opened = openSync(file, 'r+');
    if (contentOf(file)?.length !== fileBytes) begin(opened, bytes);
    return opened;
  } catch {
    return create(file, bytes);
  }
}

function create(file: string, bytes: Buffer): number | null {
  try {
    const created = openSync(file, 'w+', 0o600);
    begin(created, bytes);
    return created;
  } catch {
    return null;
  }
}

/** Empty steps are zeros, which a file that is made longer holds by itself. */
function begin(file: number, bytes: Buffer): void {
  ftruncateSync(file, 0);
  writeSync(file, bytes, 0, header.length, 0);
  ftruncateSync(file, fileBytes);
}

/** Null where nothing was ever written, or something that is none. */
function toSample(record: Float64Array): StatsSample | null {
  const [at = 0, count = 0] = record;
  if (!(Number.isSafeInteger(at) && at > 0 && count > 0)) return null;
  const number = (index: number) => record[2 + index] ?? Number.NaN;
  const whole = (index: number) => (Number.isFinite(number(index)) ? Math.round(number(index)) : 0);
  const rate = (index: number) => (Number.isFinite(number(index)) ? number(index) : 0);
  const orNull = (index: number) => (Number.isFinite(number(index)) ? number(index) : null);
  return {
    at,
    sockets: whole(0),
    present: whole(1),
    requestsPerSecond: rate(2),
    refusedPerSecond: rate(3),
    errorsPerSecond: rate(4),
    eventsPerSecond: rate(5),
    p99Ms: orNull(6),
    queueDepth: whole(7),
    databaseBytes: whole(8),
    logBytes: Number.isFinite(number(9)) ? whole(9) : null,
  };
}
