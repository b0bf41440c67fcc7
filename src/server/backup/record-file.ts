import { closeSync, fsyncSync, linkSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { codeOf } from '../../runtime/error-code.ts';
import { fsyncDirectory } from '../../runtime/fsync-directory.ts';
import { BackupError } from './backup-error.ts';

const chunkBytes = 1024 * 1024;

export interface RecordFileOptions<Written extends object> {
  /** Overwrite an existing file. */
  force: boolean;
  /** Where the records are written until the file is complete. */
  draft: string;
  records: (write: (record: Written) => void) => Promise<void>;
  onRecord?: (written: number) => void;
}

/**
 * Writes records as NDJSON: a header, one record per line, and a final line with the record count, which reveals a
 * truncated file. The file appears under its name once it is complete, readable by its owner only.
 * @returns the number of records
 * @throws BackupError when the file exists
 */
export async function writeRecordFile<Written extends object>(
  file: string,
  header: object,
  { force, draft, records, onRecord = () => {} }: RecordFileOptions<Written>,
): Promise<number> {
  const descriptor = openSync(draft, 'wx', 0o600);
  try {
    let buffered = `${JSON.stringify(header)}\n`;
    let written = 0;
    await records((one) => {
      buffered += `${JSON.stringify(one)}\n`;
      onRecord(++written);
      if (buffered.length <= chunkBytes) return;
      writeFileSync(descriptor, buffered); // writeSync may write only a part, as on a disk that becomes full
      buffered = '';
    });
    writeFileSync(descriptor, `${buffered}${JSON.stringify({ type: 'end', records: written })}\n`);
    fsyncSync(descriptor);
    publish(draft, file, force);
    fsyncDirectory(dirname(file));
    return written;
  } finally {
    closeSync(descriptor);
    rmSync(draft, { force: true });
  }
}

function publish(draft: string, file: string, force: boolean): void {
  if (force) {
    renameSync(draft, file);
    return;
  }
  try {
    linkSync(draft, file);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
    throw new BackupError(`${file} already exists. Choose another name, or overwrite it with --force.`);
  }
}
