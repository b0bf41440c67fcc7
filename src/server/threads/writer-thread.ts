import { Copier } from '../../engines/sqlite/copier.ts';
import { SqliteDatabase, statsCall, type WriterOptions } from '../../engines/sqlite/sqlite-database.ts';
import { clockIn, serveWriter } from '../../engines/writer-thread.ts';
import { runThread } from '../../runtime/run-thread.ts';
import { domain } from '../declarations/domain.ts';

/**
 * When a commit splits a page, as nearly every one does, SQLite scans its whole page cache: `balance_nonroot` parks a
 * page past 1 GiB, and pages past the end of the file are then searched for. So the cache is small: it fits the pages
 * written most, and the operating system caches the rest.
 */
const cacheBytes = 8 * 1024 * 1024;

/** The thread that writes to SQLite; its composition root, as `server.ts` is for the process. */
runThread((port, { file, clock, time, retention, gameStorageQuota }: WriterOptions) => {
  const database = new SqliteDatabase(file, domain, {
    ...(clock && { clock: clockIn(clock) }),
    time,
    retention,
    gameStorageQuota,
    cacheBytes,
    copier: new Copier(file),
  });
  serveWriter(port, database, domain.commands, { [statsCall]: () => database.stats() });
});
