import { domain } from './catalogue/domain.ts';
import { Copier } from './engines/sqlite/copier.ts';
import { SqliteDatabase } from './engines/sqlite/sqlite-database.ts';
import { statsCall, type WriterOptions } from './engines/sqlite/writer-options.ts';
import { clockIn } from './engines/thread/clock-in.ts';
import { serveWriter } from './engines/thread/serve-writer.ts';
import { runThread } from './runtime/run-thread.ts';

/** The thread that writes to SQLite: what `server.ts` is for the process, put together of the same domain. */
runThread((port, { file, clock, time, retention }: WriterOptions) => {
  const database = new SqliteDatabase(file, domain, {
    ...(clock && { clock: clockIn(clock) }),
    time,
    retention,
    copier: new Copier(file),
  });
  serveWriter(port, database, domain.commands, { [statsCall]: () => database.stats() });
});
