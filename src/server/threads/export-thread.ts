import { exportGame } from '../../features/administration/game-export.ts';
import { runFileThread } from '../backup/file-thread.ts';
import { writeGameFile } from '../backup/game-file.ts';
import { tables } from '../declarations/tables.ts';
import type { ExportThreadData } from '../export-in-thread.ts';
import { openStore } from '../open-store.ts';

/** A message for each record would cost more than writing it. */
const recordsPerMessage = 1_000;

/** A thread that exports one game. */
runFileThread(
  async ({ store, file, header, ...options }: ExportThreadData, onProgress: (written: number) => void) => {
    const { db, box } = await openStore(store);
    try {
      const open = header.secrets ? (sealed: string) => box.open(sealed) : null;
      return await writeGameFile(file, header, {
        ...options,
        records: (write) => db.read(exportGame, tables, header.gameId, open, write),
        onRecord: (written) => {
          if (written % recordsPerMessage === 0) onProgress(written);
        },
      });
    } finally {
      await db.close();
    }
  },
);
