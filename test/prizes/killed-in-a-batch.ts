import { PostgresDatabase } from '../../src/engines/postgres/postgres-database.ts';
import { SqliteDatabase } from '../../src/engines/sqlite/sqlite-database.ts';
import { domain } from '../../src/server/declarations/domain.ts';
import { prizeWorker } from './prize-worker-under-test.ts';

// `killed-in-a-batch.ts <database file or URL> <message>` gives prizes until the notification with this message is
// written, in whose transaction it kills itself.

const [where = '', message = ''] = process.argv.slice(2);
const killing: typeof domain = {
  ...domain,
  *react(tx, event) {
    if (domain.react) yield* domain.react(tx, event);
    if ('message' in event.record && event.record.message === message) process.kill(process.pid, 'SIGKILL');
  },
};
const db = where.startsWith('postgres:')
  ? await PostgresDatabase.open(where, killing)
  : new SqliteDatabase(where, killing);
prizeWorker(db).start();
setInterval(() => {}, 60_000); // the worker's timers alone do not keep the process running
