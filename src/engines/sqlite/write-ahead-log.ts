import { statSync } from 'node:fs';

/** The log is copied into the file when it has grown to this: hot pages are copied once for many commits. */
export const checkpointBytes = 32 * 1024 * 1024;

/** The log's file is cut back to this; without it, one slow reader leaves it huge for good. */
export const logLimitBytes = 64 * 1024 * 1024;

/** What a frame of the log has beside its page. */
export const frameHeaderBytes = 24;

/** The write-ahead log of a database file. */
export function logOf(file: string): string {
  return `${file}-wal`;
}

/** How large the log's file is, whatever part of it is in use; 0 where there is none. */
export function logBytesOf(file: string): number {
  return statSync(logOf(file), { throwIfNoEntry: false })?.size ?? 0;
}
