import type { Readable } from 'node:stream';
import { z } from 'zod';
import type { AdminCaller } from '../administrators/administrator.ts';
import { timestamp } from '../core/schemas/ids.ts';

const backupKind = z.enum(['manual', 'scheduled']);
export type BackupKind = z.infer<typeof backupKind>;

/** A backup in the directory of backups, as administrators see it. */
export const backupRecord = z.object({
  name: z.string(),
  kind: backupKind,
  madeAt: timestamp,
  bytes: z.int(),
  hasKeys: z
    .boolean()
    .meta({ description: 'Whether the keys are in it: without them it is half of a backup' }),
});
export type BackupRecord = z.infer<typeof backupRecord>;

/** A backup that is being made. */
export const runningBackup = z.object({
  kind: backupKind,
  startedAt: timestamp,
  copiedPages: z.int(),
  totalPages: z.int().meta({ description: '0: not known yet. When all are copied, the copy is checked' }),
});
export type RunningBackup = z.infer<typeof runningBackup>;

export interface BackupLink {
  /** On this server; it works once. */
  path: string;
  expiresAt: number;
}

/** A backup on its way to whoever downloads it. */
export interface BackupDownload {
  name: string;
  bytes: number;
  /** Fails when the administrator may not go on: revoked meanwhile, or of another role. */
  stream(): Readable;
}

/** The backups a server makes and keeps. */
export interface Backups {
  /** Why there are none here, and what to do instead; null: there are. */
  readonly unavailable: string | null;
  /** Newest first. */
  list(): Promise<BackupRecord[]>;
  /** What this process is making right now. */
  running(): RunningBackup | null;
  /** Settles once it is complete and checked. @throws GantryError `backup_running`, `backup_failed` */
  make(kind: BackupKind, options: { withoutKeys: boolean }): Promise<BackupRecord>;
  /** Removes scheduled ones, but the last so many. */
  keepLast(count: number): Promise<void>;
  /** @throws GantryError `backup_unknown` */
  remove(name: string): Promise<void>;
  /** Where the caller can download one, for a minute. @throws GantryError `backup_unknown` */
  link(name: string, caller: AdminCaller): Promise<BackupLink>;
  /** What a link leads to, which it does once; null: nowhere, or not any more. */
  open(link: string, options: { consume: boolean }): Promise<BackupDownload | null>;
  /** Ends what is being made. */
  close(): Promise<void>;
}
