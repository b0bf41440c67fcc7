import type { MessagePort } from 'node:worker_threads';
import type { StoredEvent } from '../../core/events/stream.ts';
import { toFailure } from '../../core/failure.ts';
import type { AnyCommand } from '../../core/storage/command.ts';
import type { WriteTrouble } from '../../core/storage/database.ts';
import type { Domain } from '../../core/storage/domain.ts';
import type { Announcer } from '../announcer.ts';
import type { CallOutcome, FromWriter, Settle, ToWriter, WriterCalls } from './protocol.ts';

/** The writer that runs in the thread. */
export interface WritingSide extends Announcer {
  /** Runs a command; `settle` is called before `onCommit`. */
  enqueue(command: AnyCommand, args: readonly unknown[], settle: Settle): void;
  close(): Promise<void>;
}

/**
 * Runs the writer thread, with a dedicated connection, so that neither commands nor commits block the thread that
 * serves callers. Calls that arrive together form one batch, and their outcomes are sent in one message.
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
  let isScheduled = false;

  writing.onCommit((written) => {
    for (const event of written) events.push(event);
    scheduleMessage();
  });
  writing.onWake((workers) => {
    wakes.push(...workers);
    scheduleMessage();
  });
  writing.onTrouble((now) => {
    trouble = now;
    scheduleMessage();
  });
  writing.onNewEpoch((epoch) => {
    newEpoch = epoch;
    scheduleMessage();
  });

  port.on('message', (message: ToWriter) => {
    if ('close' in message) {
      writing.close().then(() => setImmediate(() => port.close())); // after the last outcomes have been sent
      return;
    }
    for (const [id, name, args] of message.calls) {
      run(name, args, {
        resolve: (result) => pushOutcome([id, result]),
        reject: (thrown) => pushOutcome([id, undefined, toFailure(thrown)]),
      });
    }
  });

  /** Arguments are not checked: the sending side is typed. */
  function run(name: string, args: readonly unknown[], settle: Settle): void {
    const command = commands.get(name);
    const call = calls[name];
    if (command) writing.enqueue(command, args, settle);
    else if (call) call(...(args as never[])).then(settle.resolve, settle.reject);
    else settle.reject(new Error(`no file of server/declarations/commands.ts declares ${name}`));
  }

  function pushOutcome(outcome: CallOutcome): void {
    outcomes.push(outcome);
    scheduleMessage();
  }

  /** Sends a message after all promises of the commit have settled and before the next commit begins. */
  function scheduleMessage(): void {
    if (isScheduled) return;
    isScheduled = true;
    setImmediate(() => {
      isScheduled = false;
      const message: FromWriter = { outcomes, events, wakes, trouble, newEpoch };
      outcomes = [];
      events = [];
      wakes = [];
      newEpoch = null;
      port.postMessage(message);
    });
  }
}
