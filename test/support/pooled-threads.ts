import { EventEmitter } from 'node:events';
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import type { ThreadName } from '../../src/runtime/start-thread.ts';
import { compiledVariable } from './compiled-folder.ts';

/** Threads that every server under test starts. Loading one took longer than what most tests do with it. */
const pooled: ReadonlySet<ThreadName> = new Set(['writer-thread', 'postgres-writer-thread']);

const idle = new Map<ThreadName, Worker[]>();

/** Replaces `startThread` in tests: starts compiled programs, and reuses idle workers for those that are `pooled`. */
export function startThread(name: ThreadName, workerData?: object): Worker {
  const folder = `file://${process.env[compiledVariable]}`;
  if (!pooled.has(name)) return new Worker(new URL(`${folder}/${name}.js`), { workerData });
  const worker = idle.get(name)?.pop() ?? new Worker(new URL(`${folder}/pooled/${name}.js`));
  return new PooledThread(name, worker, workerData) as unknown as Worker;
}

/** A thread as its starter sees it, which cannot tell that the worker is reused afterwards. */
class PooledThread extends EventEmitter {
  readonly #port: MessagePort;

  constructor(name: ThreadName, worker: Worker, data: object | undefined) {
    super();
    const { port1, port2 } = new MessageChannel();
    this.#port = port1;
    let isGone = false;
    const fail = (error: unknown) => {
      isGone = true;
      this.emit('error', error);
    };
    worker.once('error', fail);
    port1.on('message', (message) => this.emit('message', message));
    port1.once('close', () => {
      worker.off('error', fail);
      if (!isGone) idle.set(name, [...(idle.get(name) ?? []), worker]);
      this.emit('exit', isGone ? 1 : 0);
    });
    worker.postMessage({ port: port2, data }, [port2]);
    worker.unref();
  }

  postMessage(message: unknown): void {
    this.#port.postMessage(message);
  }

  ref(): void {
    this.#port.ref();
  }

  unref(): void {
    this.#port.unref();
  }
}
