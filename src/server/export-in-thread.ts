import { makeInThread } from './backup/file-thread.ts';
import type { GameFileHeader } from './backup/game-file.ts';
import type { StoreConfig } from './open-store.ts';

/** The input of the export thread; see `export-thread.ts`. */
export interface ExportThreadData {
  store: StoreConfig;
  file: string;
  draft: string;
  header: Omit<GameFileHeader, 'format' | 'version'>;
  force: boolean;
}

/**
 * Exports a game into a file, in a thread: reading a large game blocks its thread for seconds, and an interrupted command
 * has to remove the draft. Returns the number of records; progress is how many were written. @throws BackupError
 */
export async function exportInThread(
  { dataDirectory, databaseUrl, redisUrl, secretKey, retention, gameStorageQuota }: StoreConfig,
  game: Omit<ExportThreadData, 'store'>,
  onProgress: (written: number) => void,
): Promise<number> {
  // Only these: other settings cannot be sent to a thread.
  const store = { dataDirectory, databaseUrl, redisUrl, secretKey, retention, gameStorageQuota };
  const data: ExportThreadData = { store, ...game };
  const records = await makeInThread<number, number>('export-thread', data, { onProgress });
  if (records === null) throw new Error('the thread of the export ended without a result');
  return records;
}
