import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { deferredStart } from './deferred-start.ts';

/** Runs the program of a thread started by `startThread`, with the port to its parent and its start data. */
export function runThread<Data>(program: (port: MessagePort, data: Data) => void): void {
  const port = parentPort;
  if (!port) throw new Error('this file must run in a worker thread: see start-thread.ts');
  if (workerData === deferredStart) port.once('message', (data: Data) => program(port, data));
  else program(port, workerData as Data);
}
