import { type MessagePort, parentPort, workerData } from 'node:worker_threads';

/** Runs the program of a thread (`startThread`): with the port to whoever started it, and what it was started with. */
export function runThread<Data>(program: (port: MessagePort, data: Data) => void): void {
  if (!parentPort) throw new Error('this file is run in a thread of its own: see start-thread.ts');
  program(parentPort, workerData as Data);
}
