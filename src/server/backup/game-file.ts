import { closeSync, openSync, readSync } from 'node:fs';
import { z } from 'zod';
import type { GameRecord } from '../../features/administration/game-export.ts';
import { codeOf } from '../../runtime/error-code.ts';
import { BackupError } from './backup-error.ts';
import { type RecordFileOptions, writeRecordFile } from './record-file.ts';

const format = 'gantry-game';
const version = 1;
const chunkBytes = 1024 * 1024;
/** The longest record: a state of 1 MB, with everything in it escaped. */
const maxLineBytes = 16 * 1024 * 1024;
const lineFeed = 0x0a;

const header = z.strictObject({
  format: z.literal(format),
  version: z.literal(version),
  schemaVersion: z.int(),
  gameId: z.string(),
  exportedAt: z.int(),
  secrets: z.boolean(),
});
export type GameFileHeader = z.infer<typeof header>;

const record = z.strictObject({
  type: z.string(),
  row: z.record(z.string(), z.union([z.string(), z.number(), z.null()])),
});
const end = z.strictObject({ type: z.literal('end'), records: z.int() });

/** Writes a game as NDJSON: see `writeRecordFile`. @throws BackupError when the file exists */
export function writeGameFile(
  file: string,
  head: Omit<GameFileHeader, 'format' | 'version'>,
  options: RecordFileOptions<GameRecord>,
): Promise<number> {
  return writeRecordFile(file, { format, version, ...head }, options);
}

/**
 * Streams through a game file to check that it is complete.
 * @throws BackupError
 */
export function checkGameFile(file: string): GameFileHeader & { records: number } {
  const head = readHeader(file);
  let records = 0;
  for (const _ of readRecords(file)) records++;
  return { ...head, records };
}

function readHeader(file: string): GameFileHeader {
  for (const line of linesOf(file)) {
    const parsed = header.safeParse(jsonOf(line));
    if (parsed.success) return parsed.data;
    break;
  }
  throw new BackupError(`${file} is not a file written by \`gantry export\` of this version.`);
}

/**
 * Streams the records of a game file.
 * @throws BackupError when a line is not a valid record, or the final line is missing
 */
export function* readRecords(file: string): Iterable<GameRecord> {
  let number = 0;
  let hasEnded = false;
  for (const line of linesOf(file)) {
    number++;
    if (number === 1) continue;
    if (hasEnded) throw new BackupError(`${file} has data after its end, in line ${number}.`);
    if (line === undefined) throw new BackupError(`${file} is damaged: line ${number} is not UTF-8.`);
    const value = jsonOf(line);
    if (value === undefined) throw new BackupError(`${file} has invalid JSON in line ${number}.`);
    const footer = end.safeParse(value);
    if (footer.success) {
      if (footer.data.records !== number - 2)
        throw new BackupError(`${file} is incomplete: the record count does not match.`);
      hasEnded = true;
      continue;
    }
    const parsed = record.safeParse(value);
    if (!parsed.success) throw new BackupError(`${file} has an invalid record in line ${number}.`);
    yield parsed.data;
  }
  if (!hasEnded) throw new BackupError(`${file} is truncated: its last line is missing.`);
}

/** The value of a line; undefined when it is not JSON, or not UTF-8. */
export function jsonOf(line: string | undefined): unknown {
  try {
    return line === undefined ? undefined : JSON.parse(line);
  } catch {
    return undefined;
  }
}

function openFile(file: string): number {
  try {
    return openSync(file, 'r');
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
    throw new BackupError(`There is no file ${file}.`);
  }
}

/**
 * The lines of a file, one after another, without a byte order mark; undefined for a line that is not UTF-8.
 * @throws BackupError when there is no such file, or a line is too long
 */
export function* linesOf(file: string): Iterable<string | undefined> {
  const descriptor = openFile(file);
  try {
    const bytes = Buffer.alloc(chunkBytes);
    let rest = Buffer.alloc(0);
    let line = 1;
    for (;;) {
      const read = readSync(descriptor, bytes, 0, chunkBytes, null);
      const all = Buffer.concat([rest, bytes.subarray(0, read)]);
      let from = 0;
      for (let end = all.indexOf(lineFeed); end !== -1; end = all.indexOf(lineFeed, from)) {
        yield textOf(all.subarray(from, end), line++ === 1);
        from = end + 1;
      }
      rest = all.subarray(from);
      if (rest.length > maxLineBytes)
        throw new BackupError(
          `${file}: line ${line} is longer than ${maxLineBytes / 1024 / 1024} MiB, the maximum of a record. Each record needs a line of its own.`,
        );
      if (read === 0) break;
    }
    if (rest.length > 0) yield textOf(rest, line === 1);
  } finally {
    closeSync(descriptor);
  }
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function textOf(bytes: Buffer, isFirst: boolean): string | undefined {
  try {
    const text = decoder.decode(bytes);
    return isFirst && text.startsWith('\u{FEFF}') ? text.slice(1) : text;
  } catch {
    return undefined;
  }
}
