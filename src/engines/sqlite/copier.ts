import { once } from 'node:events';
import type { Worker } from 'node:worker_threads';
import { startThread } from '../../runtime/start-thread.ts';
import type { LogCopier } from './checkpoints.ts';

/** A thread that copies the write-ahead log, from when it is first asked to. Should it ever die, another takes over. */
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
    const gone = once(worker, 'exit');
    worker.ref();
    worker.postMessage('close');
    await gone;
  }

  #start(): Worker {
    const worker = startThread('copier-thread', { file: this.#file });
    worker.on('message', (hasTried: boolean) => this.#settle(hasTried));
    worker.on('error', () => {}); // said by what follows: an exit
    worker.once('exit', () => {
      if (this.#worker === worker) this.#worker = null;
      this.#settle(false);
    });
    worker.unref();
    return worker;
  }
}
