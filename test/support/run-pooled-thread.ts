import { type MessagePort, parentPort } from 'node:worker_threads';

/** Stands for `run-thread.ts` in what `pooled-threads.ts` starts: runs the program again for each thread that is started. */
export function runThread<Data>(program: (port: MessagePort, data: Data) => void): void {
  parentPort?.on('message', ({ port, data }: { port: MessagePort; data: Data }) => program(port, data));
}
