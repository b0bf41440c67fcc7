import { statSync } from 'node:fs';

/** The log is checkpointed when it has grown to this size: hot pages are copied once for many commits. */
export const checkpointBytes = 32 * 1024 * 1024;

/** The log file is truncated to this size; otherwise it would stay huge after a slow reader. */
export const logLimitBytes = 64 * 1024 * 1024;

/** Size of a frame's header, which precedes the page. */
export const frameHeaderBytes = 24;

/** The write-ahead log of a database file. */
export function logOf(file: string): string {
  return `${file}-wal`;
}

/** Size of the log file, including unused parts; 0 when there is none. */
export function logBytesOf(file: string): number {
  return statSync(logOf(file), { throwIfNoEntry: false })?.size ?? 0;
}
