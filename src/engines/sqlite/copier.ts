import { once } from 'node:events';
import type { Worker } from 'node:worker_threads';
import { startThread } from '../../runtime/start-thread.ts';
import type { LogCopier } from './checkpoints.ts';

/** Checkpoints the write-ahead log in a thread, which is started on first use and restarted after a crash. */
export class Copier implements LogCopier {
  readonly #file: string;
  #worker: Worker | null = null;
  #settle: (hasTried: boolean) => void = () => {};

  constructor(file: string) {
    this.#file = file;
  }

  copy(): Promise<boolean> {
    return new Promise((resolve) => {
      this.#settle = resolve;
      this.#worker ??= this.#start();
      this.#worker.postMessage('copy');
    });
  }

  async close(): Promise<void> {
    const worker = this.#worker;
    if (!worker) return;
    const exited = once(worker, 'exit');
    worker.ref();
    worker.postMessage('close');
    await exited;
  }

  #start(): Worker {
    const worker = startThread('copier-thread', { file: this.#file });
    worker.on('message', (hasTried: boolean) => this.#settle(hasTried));
    worker.on('error', () => {}); // handled by the exit event that follows
    worker.once('exit', () => {
      if (this.#worker === worker) this.#worker = null;
      this.#settle(false);
    });
    worker.unref();
    return worker;
  }
}
