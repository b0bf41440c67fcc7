import { close, ftruncateSync, openSync, readFileSync, write, writeSync } from 'node:fs';
import type { StatsSample } from './stats.ts';

/** The ranges longer than the raw samples cover, with the length and number of their steps. */
export const historyRanges = {
  hour: { everyMs: 10_000, steps: 360 },
  day: { everyMs: 2 * 60_000, steps: 720 },
  week: { everyMs: 15 * 60_000, steps: 672 },
} as const;
export type HistoryRange = keyof typeof historyRanges;
const ranges = Object.keys(historyRanges) as HistoryRange[];

/** How each field of a step is aggregated from its samples: mean, highest or last. */
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

/** A record is its step's time, its number of samples, and the fields; as doubles, NaN for null. */
const recordNumbers = 2 + fields.length;
const recordBytes = recordNumbers * 8;
const header = Buffer.from('gantry stats 1\n\0', 'latin1');
const steps = Object.values(historyRanges).reduce((sum, range) => sum + range.steps, 0);
const fileBytes = header.length + steps * recordBytes;
/** The size of one write, as in a database. */
const pageBytes = 4096;

/**
 * Statistics of an hour, a day and a week, in a file of a fixed size (165 KB) that survives a restart. Every range is a
 * ring buffer: a step's time determines its place, where it overwrites the step one range ago. Current steps are
 * written every ten seconds, so that a killed process loses no more. Without a file, or on a full disk, it continues in
 * memory.
 */
export class StatsHistory {
  readonly #bytes: Buffer;
  readonly #file: number | null;
  /** The last step of the hour range that was written. */
  #writtenAt = 0;

  constructor(file: string | null) {
    this.#bytes = read(file);
    this.#file = file === null ? null : open(file, this.#bytes);
  }

  /** Adds a sample to its step in each range. */
  add(sample: StatsSample): void {
    for (const range of ranges) {
      const { everyMs } = historyRanges[range];
      this.#addTo(this.#record(range, sample.at), Math.floor(sample.at / everyMs) * everyMs, sample);
    }
    const hourStep = Math.floor(sample.at / historyRanges.hour.everyMs);
    if (hourStep === this.#writtenAt || this.#file === null) return;
    this.#writtenAt = hourStep;
    for (const range of ranges) {
      // The previous step may have changed since it was written.
      this.#write(this.#offset(range, sample.at - historyRanges[range].everyMs));
      this.#write(this.#offset(range, sample.at));
    }
  }

  /** The steps of a range that begin after a point in time, oldest first, including the current, incomplete one. */
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
      // The steps written earlier are in the file.
    }
    close(this.#file, () => {});
  }

  /** Write errors are ignored: a full disk must not stop the server. */
  #write(offset: number): void {
    if (this.#file === null) return;
    // A copy, since the record may change during the write.
    const record = Buffer.from(this.#bytes.subarray(offset, offset + recordBytes));
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

  /** The offset of a time's step in the file. */
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

/** A file's content; empty steps when there is none, or it has another version or length. */
function read(file: string | null): Buffer {
  const bytes = Buffer.from(new ArrayBuffer(fileBytes)); // not from the pool: doubles need 8-byte alignment
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

/** Empty steps are zeros, with which extending a file fills it. */
function begin(file: number, bytes: Buffer): void {
  ftruncateSync(file, 0);
  writeSync(file, bytes, 0, header.length, 0);
  ftruncateSync(file, fileBytes);
}

/** Null when the step is empty or invalid. */
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
