import type { MessagePort } from 'node:worker_threads';
import type { StoredEvent } from '../../core/events/stream.ts';
import type { AnyCommand } from '../../core/storage/command.ts';
import type { Database, WriteTrouble } from '../../core/storage/database.ts';
import type { Domain } from '../../core/storage/domain.ts';
import { toFailure } from '../../runtime/failure.ts';
import type { CallOutcome, FromWriter, Settle, ToWriter, WriterCalls } from './protocol.ts';

/** What writes in the thread. */
export interface WritingSide extends Pick<Database, 'onCommit' | 'onWake' | 'onTrouble' | 'close'> {
  /** Runs a command; `settle` is called before `onCommit`. */
  enqueue(command: AnyCommand, args: readonly unknown[], settle: Settle): void;
  /** Calls the listener when it has given the history another name. */
  onNewEpoch(listener: (epoch: string) => void): void;
}

/**
 * Runs the thread that writes: with a connection of its own, so that neither what a command costs nor the wait for a commit
 * holds up the thread that answers callers. Calls that come in together are in one batch, and how they ended is told in one
 * message.
 */
export function serveWriter(
  port: MessagePort,
  writing: WritingSide,
  commands: Domain['commands'],
  calls: WriterCalls,
): void {
  let outcomes: CallOutcome[] = [];
  let events: StoredEvent[] = [];
  let wakes: string[] = [];
  let trouble: WriteTrouble | null = null;
  let newEpoch: string | null = null;
  let isTelling = false;

  writing.onCommit((written) => {
    for (const event of written) events.push(event);
    tell();
  });
  writing.onWake((workers) => {
    wakes.push(...workers);
    tell();
  });
  writing.onTrouble((now) => {
    trouble = now;
    tell();
  });
  writing.onNewEpoch((epoch) => {
    newEpoch = epoch;
    tell();
  });

  port.on('message', (message: ToWriter) => {
    if ('close' in message) {
      writing.close().then(() => setImmediate(() => port.close())); // after the last outcomes have been told
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
    const call = calls[name];
    if (command) writing.enqueue(command, args, settle);
    else if (call) call(...(args as never[])).then(settle.resolve, settle.reject);
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
      const message: FromWriter = { outcomes, events, wakes, trouble, newEpoch };
      outcomes = [];
      events = [];
      wakes = [];
      newEpoch = null;
      port.postMessage(message);
    });
  }
}
