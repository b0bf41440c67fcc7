import { parentPort, workerData } from 'node:worker_threads';
import { domain } from './catalogue/domain.ts';
import { SqliteDatabase } from './engines/sqlite/sqlite-database.ts';
import type { WriterOptions } from './engines/sqlite/writer/protocol.ts';
import { serveWriter } from './engines/sqlite/writer/serve-writer.ts';

/** The thread that writes: what `server.ts` is for the process, put together of the same domain. */
if (!parentPort) throw new Error('the writer runs in a thread of its own');

const { commands } = domain;
serveWriter(
  parentPort,
  workerData as WriterOptions,
  commands,
  (file, options) => new SqliteDatabase(file, domain, options),
);
