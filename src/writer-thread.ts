import { domain } from './catalogue/domain.ts';
import { Copier } from './engines/sqlite/copier.ts';
import { SqliteDatabase } from './engines/sqlite/sqlite-database.ts';
import { statsCall, type WriterOptions } from './engines/sqlite/writer-options.ts';
import { clockIn } from './engines/thread/clock-in.ts';
import { serveWriter } from './engines/thread/serve-writer.ts';
import { runThread } from './runtime/run-thread.ts';

/**
 * A commit that splits a page has SQLite look at each page in its cache (`balance_nonroot` parks a page behind a gigabyte,
 * and what lies behind the end of the file is then searched for), and nearly every one splits some. What is written most
 * fits in this; the rest comes from the operating system's cache.
 */
const cacheBytes = 8 * 1024 * 1024;

/** The thread that writes to SQLite: what `server.ts` is for the process, put together of the same domain. */
runThread((port, { file, clock, time, retention }: WriterOptions) => {
  const database = new SqliteDatabase(file, domain, {
    ...(clock && { clock: clockIn(clock) }),
    time,
    retention,
    cacheBytes,
    copier: new Copier(file),
  });
  serveWriter(port, database, domain.commands, { [statsCall]: () => database.stats() });
});
