import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { startedLater } from './started-later.ts';

/** Runs the program of a thread (`startThread`): with the port to whoever started it, and what it was started with. */
export function runThread<Data>(program: (port: MessagePort, data: Data) => void): void {
  const port = parentPort;
  if (!port) throw new Error('this file is run in a thread of its own: see start-thread.ts');
  if (workerData === startedLater) port.once('message', (data: Data) => program(port, data));
  else program(port, workerData as Data);
}
