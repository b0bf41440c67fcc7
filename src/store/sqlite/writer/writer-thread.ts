import { parentPort, workerData } from 'node:worker_threads';
import type { StoredEvent } from '../../../events/stream.ts';
import { toFailure } from '../../../threads/failure.ts';
import { SqliteStore } from '../sqlite-store.ts';
import { clockIn } from './clock-in.ts';
import { Copier } from './copier.ts';
import type { FromWriter, Outcome, ToWriter, WriterOptions } from './protocol.ts';

/**
 * The thread that writes: a store of its own, on a connection of its own, so that neither a commit nor the
 * wait for the disk holds up the thread that answers callers. Calls that come in together are in one batch of
 * its group commit, and how they ended is told in one message.
 */
if (!parentPort) throw new Error('the writer runs in a thread of its own');
const port = parentPort;
const { file, clock, time, retention } = workerData as WriterOptions;
const store = new SqliteStore(file, {
  ...(clock && { clock: clockIn(clock) }),
  time,
  retention,
  copier: new Copier(file),
});

let outcomes: Outcome[] = [];
let events: StoredEvent[] = [];
let trouble: string | null = null;
let isTelling = false;

store.onCommit((written) => {
  events.push(...written);
  tell();
});

store.onTrouble((now) => {
  trouble = now;
  tell();
});

port.on('message', (message: ToWriter) => {
  if ('close' in message) {
    store.close().then(() => setImmediate(() => port.close())); // after the last outcomes have been told
    return;
  }
  for (const [id, part, method, args] of message.calls) {
    // The caller's side is typed; here the names and arguments are taken as they come.
    const methodsOfPart = store[part] as unknown as Record<string, (...args: unknown[]) => Promise<unknown>>;
    methodsOfPart[method]?.(...args).then(
      (result) => end([id, result]),
      (thrown: unknown) => end([id, undefined, toFailure(thrown)]),
    );
  }
});

function end(outcome: Outcome): void {
  outcomes.push(outcome);
  tell();
}

/** Once all promises of the commit have settled, and before the next one begins. */
function tell(): void {
  if (isTelling) return;
  isTelling = true;
  setImmediate(() => {
    isTelling = false;
    const message: FromWriter = { outcomes, events, trouble };
    outcomes = [];
    events = [];
    port.postMessage(message);
  });
}
