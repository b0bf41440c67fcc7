import SqliteDatabase from 'better-sqlite3';
import { runThread } from '../../runtime/run-thread.ts';
import { prepare } from './prepare.ts';

/** The thread that checkpoints the write-ahead log, on a dedicated connection; see `Checkpoints`. */
runThread((port, { file }: { file: string }) => {
  const db = new SqliteDatabase(file, { fileMustExist: true });
  db.pragma('synchronous = FULL');
  const copy = prepare(db, 'PRAGMA wal_checkpoint(PASSIVE)');

  port.on('message', (message: 'copy' | 'close') => {
    if (message === 'close') {
      db.close();
      port.close();
      return;
    }
    try {
      copy.get();
      port.postMessage(true);
    } catch {
      port.postMessage(false); // a full disk, an I/O error: the writer gets it too, and reports it
    }
  });
});
