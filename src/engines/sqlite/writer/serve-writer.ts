import type { MessagePort } from 'node:worker_threads';
import type { StoredEvent } from '../../../core/events/stream.ts';
import type { WriteTrouble } from '../../../core/storage/database.ts';
import type { Domain } from '../../../core/storage/domain.ts';
import { toFailure } from '../../../runtime/failure.ts';
import type { Settle } from '../group-commit.ts';
import type { SqliteDatabase, SqliteDatabaseOptions } from '../sqlite-database.ts';
import { clockIn } from './clock-in.ts';
import { Copier } from './copier.ts';
import {
  type CallOutcome,
  type FromWriter,
  statsCall,
  type ToWriter,
  type WriterOptions,
} from './protocol.ts';

/**
 * Runs the thread that writes: a database of its own, on a connection of its own, so that neither a commit nor the
 * wait for the disk holds up the thread that answers callers. Calls that come in together are in one batch of
 * its group commit, and how they ended is told in one message.
 */
export function serveWriter(
  port: MessagePort,
  { file, clock, time, retention }: WriterOptions,
  commands: Domain['commands'],
  open: (file: string, options: SqliteDatabaseOptions) => SqliteDatabase,
): void {
  const database = open(file, {
    ...(clock && { clock: clockIn(clock) }),
    time,
    retention,
    copier: new Copier(file),
  });

  let outcomes: CallOutcome[] = [];
  let events: StoredEvent[] = [];
  let wakes: string[] = [];
  let trouble: WriteTrouble | null = null;
  let isTelling = false;

  database.onCommit((written) => {
    for (const event of written) events.push(event);
    tell();
  });
  database.onWake((workers) => {
    wakes.push(...workers);
    tell();
  });
  database.onTrouble((now) => {
    trouble = now;
    tell();
  });

  port.on('message', (message: ToWriter) => {
    if ('close' in message) {
      database.close().then(() => setImmediate(() => port.close())); // after the last outcomes have been told
      return;
    }
    for (const [id, name, args] of message.calls) {
      run(name, args, {
        resolve: (result) => end([id, result]),
        reject: (thrown) => end([id, undefined, toFailure(thrown)]),
      });
    }
  });

  /** The caller's side is typed; here the arguments are taken as they come. */
  function run(name: string, args: readonly unknown[], settle: Settle): void {
    const command = commands.get(name);
    if (command) database.enqueue(command, args, settle);
    else if (name === statsCall) database.stats().then(settle.resolve, settle.reject);
    else settle.reject(new Error(`no file of catalogue/commands.ts declares ${name}`));
  }

  function end(outcome: CallOutcome): void {
    outcomes.push(outcome);
    tell();
  }

  /** Once all promises of the commit have settled, and before the next one begins. */
  function tell(): void {
    if (isTelling) return;
    isTelling = true;
    setImmediate(() => {
      isTelling = false;
      const message: FromWriter = { outcomes, events, wakes, trouble };
      outcomes = [];
      events = [];
      wakes = [];
      port.postMessage(message);
    });
  }
}
