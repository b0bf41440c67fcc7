import type { Readable } from 'node:stream';
import { z } from 'zod';
import { timestamp } from '../../core/schemas/fields.ts';
import type { AdminCaller } from './administrators/administrator.ts';

const backupKind = z.enum(['manual', 'scheduled']);
export type BackupKind = z.infer<typeof backupKind>;

/** A backup in the backup directory, as administrators see it. */
export const backupRecord = z.object({
  name: z.string(),
  kind: backupKind,
  madeAt: timestamp,
  bytes: z.int(),
  hasKeys: z
    .boolean()
    .meta({ description: 'Whether it contains the keys: without them the backup is incomplete' }),
});
export type BackupRecord = z.infer<typeof backupRecord>;

/** A backup in progress. */
export const runningBackup = z.object({
  kind: backupKind,
  startedAt: timestamp,
  copiedPages: z.int(),
  totalPages: z
    .int()
    .meta({ description: '0 while not yet known. Once all pages are copied, the copy is verified' }),
});
export type RunningBackup = z.infer<typeof runningBackup>;

export interface BackupLink {
  /** On this server; single use. */
  path: string;
  expiresAt: number;
}

/** A backup being downloaded. */
export interface BackupDownload {
  name: string;
  bytes: number;
  /**
   * The bytes from `start` to `end`, both included; all by default. Fails once the administrator's token is revoked or
   * expired, or no longer has the role for downloads.
   */
  stream(part?: { start: number; end: number }): Readable;
}

/** The backups a server makes and keeps; null where the database is not in the data directory. */
export interface Backups {
  /** Newest first. */
  list(): Promise<BackupRecord[]>;
  /** The backup this process is currently making. */
  running(): RunningBackup | null;
  /**
   * Resolves once the backup is complete and verified; it begins after a scheduled one in progress.
   * @throws GantryError `backup_running` when another manual one is in progress; `backup_failed`
   */
  make(kind: BackupKind, options: { withoutKeys: boolean }): Promise<BackupRecord>;
  /** Removes all scheduled backups except the newest `count`. */
  keepLast(count: number): Promise<void>;
  /** @throws GantryError `backup_unknown` */
  remove(name: string): Promise<void>;
  /** A download link for the caller, valid for one minute. @throws GantryError `backup_unknown` */
  link(name: string, caller: AdminCaller): Promise<BackupLink>;
  /** Resolves a single-use link, which `consume` uses up; null when it is unknown, used or expired. */
  open(link: string, options: { consume: boolean }): Promise<BackupDownload | null>;
  /** Aborts the backup in progress. */
  close(): Promise<void>;
}
