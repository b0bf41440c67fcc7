import { type MessagePort, parentPort, workerData } from 'node:worker_threads';

/**
 * Replaces `run-thread.ts` in what `pooled-threads.ts` starts: reruns the program for each thread that is started. A
 * thread that one of these starts is not shared.
 */
export function runThread<Data>(program: (port: MessagePort, data: Data) => void): void {
  if (!parentPort) throw new Error('a pooled thread was run as a process');
  if (workerData) program(parentPort, workerData);
  else parentPort.on('message', ({ port, data }: { port: MessagePort; data: Data }) => program(port, data));
}
