import {
  chmodSync,
  closeSync,
  copyFileSync,
  existsSync,
  openSync,
  readdirSync,
  readSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isMainThread } from 'node:worker_threads';
import type { DroppedLog } from '../../core/storage/database-file.ts';
import { codeOf } from '../../runtime/error-code.ts';
import { fsyncDirectory } from '../../runtime/fsync-directory.ts';
import { frameHeaderBytes, logOf } from './write-ahead-log.ts';

const logHeaderBytes = 32;
/** Size of `WalIndexHdr`, stored twice at the start of the WAL index (https://www.sqlite.org/walformat.html). */
const indexHeaderBytes = 48;
const chunkBytes = 8 * 1024 * 1024;
/** Set in a log's magic number if its checksums use big-endian words. */
const bigEndianBit = 1;
const magic = 0x377f0682;

/**
 * The databases whose logs this process has checked: once, before it opens them. POSIX locks belong to the process, so
 * closing the index after reading it would release SQLite's locks, and another process could take them
 * (https://www.sqlite.org/howtocorrupt.html#_posix_advisory_locks_canceled_by_a_separate_thread_doing_close_).
 * Threads open only files that the main thread has opened before.
 */
const checked = new Set<string>();

/** How much of a log SQLite will recover, and how much had been committed to it; in frames, counted from 1. */
interface LogCondition {
  /** Identifies this log among the earlier ones in the same file; repeated in every frame. */
  salt: string;
  /** The last frame of the last complete transaction before any damage. */
  recoverable: number;
  /** The last frame that was certainly acknowledged. */
  acknowledged: number;
}

/**
 * Checks the write-ahead log of a database that is about to be opened. SQLite recovers its valid prefix and silently
 * drops the rest. That is right for a transaction interrupted by a crash, which was never acknowledged; but a frame
 * damaged later discards all transactions after it. In that case a copy of the log is preserved beside the database,
 * with the number of dropped frames in its name, because SQLite overwrites the log.
 *
 * A transaction is known to be acknowledged if it is followed by another frame, which is written only after the
 * transaction is on the disk, or by the log's index, if it survived. The loss of the last transaction of a log is not
 * detected without either. Call this before each opening of a database.
 */
export function preserveDamagedLog(file: string): void {
  if (!isMainThread || checked.has(file)) return;
  checked.add(file);
  const found = droppedBy(file);
  // While another process writes, a frame may be half written: it is complete when read again.
  if (!found || droppedBy(file)?.frames !== found.frames) return;
  const kept = `${prefixOf(file)}${found.salt}-${found.frames}`;
  if (existsSync(kept)) return;
  if (existsSync(logOf(file))) copyFileSync(logOf(file), kept);
  else writeFileSync(kept, ''); // the log is gone, and only its index is left
  chmodSync(kept, 0o600);
  fsyncDirectory(dirname(file));
}

/** The preserved damaged logs of a database, each with the minimum number of frames that SQLite dropped. */
export function droppedLogs(file: string): DroppedLog[] {
  const prefix = basename(prefixOf(file));
  return readdirSync(dirname(file)).flatMap((name) => {
    const frames = name.startsWith(prefix) ? /-(\d+)$/.exec(name)?.[1] : undefined;
    return frames === undefined ? [] : [{ file: join(dirname(file), name), frames: Number(frames) }];
  });
}

function prefixOf(file: string): string {
  return `${logOf(file)}.damaged-`;
}

function droppedBy(file: string): { salt: string; frames: number } | null {
  const index = readIndex(`${file}-shm`); // read before the log, which can only grow meanwhile
  const log = openToRead(logOf(file));
  try {
    const { salt, recoverable, acknowledged } = (log !== null && examine(log, index)) || unreadable(index);
    const frames = acknowledged - (recoverable > 0 ? recoverable : (index?.copied ?? 0));
    return frames > 0 ? { salt, frames } : null;
  } finally {
    if (log !== null) closeSync(log);
  }
}

/** The log is unreadable or gone: only its index tells how long it was. */
function unreadable(index: LogIndex | null): LogCondition {
  return { salt: index?.salt ?? '', recoverable: 0, acknowledged: index?.frames ?? 0 };
}

function openToRead(path: string): number | null {
  try {
    return openSync(path, 'r');
  } catch (error) {
    if (['ENOENT', 'EACCES'].includes(codeOf(error))) return null; // SQLite reports missing permissions
    throw error;
  }
}

/** Null when the header is invalid. */
function examine(log: number, index: LogIndex | null): LogCondition | null {
  const header = Buffer.alloc(logHeaderBytes);
  if (readSync(log, header, 0, logHeaderBytes, 0) < logHeaderBytes) return null;
  const pageBytes = header.readUInt32BE(8);
  const salt = header.subarray(16, 24);
  const isBigEndian = (header.readUInt32BE(0) & bigEndianBit) !== 0;
  const headerSum = sumOf(header, 0, 24, isBigEndian, [0, 0]);
  const isHeaderValid =
    (header.readUInt32BE(0) & ~bigEndianBit) >>> 0 === magic &&
    pageBytes >= 512 &&
    pageBytes <= 65_536 &&
    headerSum[0] === header.readUInt32BE(24) &&
    headerSum[1] === header.readUInt32BE(28);
  if (!isHeaderValid) return null;

  const frameBytes = frameHeaderBytes + pageBytes;
  const framesAtOnce = Math.max(1, Math.floor(chunkBytes / frameBytes));
  const chunk = Buffer.alloc(framesAtOnce * frameBytes);
  let recoverable = 0;
  let acknowledged = index?.salt === salt.toString('hex') ? index.frames : 0;
  /** All frames so far are valid, their checksums continuing from the previous frame. */
  let isComplete = true;
  let sum = headerSum;
  /** The previous frame if it ended a transaction, otherwise 0. */
  let endedAt = 0;
  for (let first = 1; ; first += framesAtOnce) {
    const read = readSync(log, chunk, 0, chunk.length, logHeaderBytes + (first - 1) * frameBytes);
    const frames = Math.floor(read / frameBytes);
    for (let n = 0; n < frames; n++) {
      const at = n * frameBytes;
      const stored: Sum = [chunk.readUInt32BE(at + 16), chunk.readUInt32BE(at + 20)];
      const isOfThisLog = chunk.compare(salt, 0, 8, at + 8, at + 16) === 0;
      const computed = isOfThisLog
        ? sumOf(chunk, at + frameHeaderBytes, pageBytes, isBigEndian, sumOf(chunk, at, 8, isBigEndian, sum))
        : sum;
      const follows = isOfThisLog && computed[0] === stored[0] && computed[1] === stored[1];
      if (!follows) isComplete = false;
      if (follows && endedAt > 0) acknowledged = Math.max(acknowledged, endedAt);
      endedAt = follows && chunk.readUInt32BE(at + 4) !== 0 ? first + n : 0;
      if (isComplete && endedAt > 0) recoverable = endedAt;
      sum = stored; // the next frame continues from it even if only this one is damaged
    }
    if (frames < framesAtOnce) return { salt: salt.toString('hex'), recoverable, acknowledged };
  }
}

interface LogIndex {
  salt: string;
  /** Frames of committed transactions. */
  frames: number;
  /** Those of them that have been checkpointed into the database file. */
  copied: number;
}

/** Reads the log's index, which SQLite updates once a commit is on the disk; null when missing or inconsistent. */
function readIndex(path: string): LogIndex | null {
  const file = openToRead(path);
  if (file === null) return null;
  const bytes = Buffer.alloc(2 * indexHeaderBytes + 4);
  try {
    if (readSync(file, bytes, 0, bytes.length, 0) < bytes.length) return null;
  } finally {
    closeSync(file);
  }
  const [one, other] = [
    bytes.subarray(0, indexHeaderBytes),
    bytes.subarray(indexHeaderBytes, 2 * indexHeaderBytes),
  ];
  if (!one.equals(other) || one[12] !== 1) return null;
  const read = (at: number) => (isBigEndianMachine ? bytes.readUInt32BE(at) : bytes.readUInt32LE(at));
  const sum = sumOf(one, 0, 40, isBigEndianMachine, [0, 0]);
  if (sum[0] !== read(40) || sum[1] !== read(44)) return null;
  return { salt: one.toString('hex', 32, 40), frames: read(16), copied: read(2 * indexHeaderBytes) };
}

const isBigEndianMachine = new Uint8Array(new Uint32Array([1]).buffer)[0] === 0;

type Sum = readonly [number, number];

/** SQLite's log checksum, continued from a previous one. `from` is a multiple of 4, `length` of 8. */
function sumOf(bytes: Buffer, from: number, length: number, isBigEndian: boolean, before: Sum): Sum {
  const words = wordsOf(bytes, from, length, isBigEndian);
  let [one, other] = before;
  for (let at = 0; at < words.length; at += 2) {
    one = (one + (words[at] ?? 0) + other) | 0;
    other = (other + (words[at + 1] ?? 0) + one) | 0;
  }
  return [one >>> 0, other >>> 0];
}

/** A log has the byte order of the machine that wrote it, usually the same as here, so that no swapping is needed. */
function wordsOf(bytes: Buffer, from: number, length: number, isBigEndian: boolean): Int32Array {
  if (isBigEndian === isBigEndianMachine) {
    return new Int32Array(bytes.buffer, bytes.byteOffset + from, length / 4);
  }
  const swapped = Uint8Array.from(bytes.subarray(from, from + length));
  Buffer.from(swapped.buffer).swap32();
  return new Int32Array(swapped.buffer);
}
