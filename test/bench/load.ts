import { availableParallelism } from 'node:os';
import { Child } from './child.ts';
import {
  type Chatted,
  called,
  chatted,
  counted,
  done,
  type HttpJob,
  httpDone,
  type SocketJob,
} from './loads/jobs.ts';

type Timed<Kind> = Omit<Extract<SocketJob, { kind: Kind }>, 'kind'>;

/** A process that sends HTTP requests. One keeps several Express servers busy. */
export class HttpLoad implements AsyncDisposable {
  readonly #process = new Child(new URL('./loads/http-load.ts', import.meta.url));

  requestsPerSecond(job: HttpJob): Promise<number> {
    return this.#process.ask(job, httpDone);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#process[Symbol.asyncDispose]();
  }
}

/**
 * Processes that hold sockets. A Socket.IO client costs as much as the server it talks to, so there are as
 * many as there are cores to spare, up to three; with one or two cores the clients are part of the figure.
 */
export class SocketLoad implements AsyncDisposable {
  readonly #processes = Array.from(
    { length: Math.min(3, Math.max(1, availableParallelism() - 1)) },
    () => new Child(new URL('./loads/socket-load.ts', import.meta.url)),
  );
  /** Those that hold sockets now. */
  #holding: readonly Child[] = [];

  /** Opens a socket for each token, spread over the processes, and resolves when all are connected. */
  async connect(url: string, tokens: readonly string[]): Promise<void> {
    this.#holding = this.#processes.slice(0, tokens.length);
    await this.#each((child, at) => {
      const share = tokens.filter((_, index) => index % this.#holding.length === at);
      return child.ask({ kind: 'connect', url, tokens: share }, done);
    });
  }

  /** Calls acked a second, all sockets together. */
  async callsPerSecond(job: Timed<'call'>): Promise<number> {
    const rates = await this.#each((child) => child.ask({ kind: 'call', ...job }, called));
    return sum(rates);
  }

  /** Messages delivered a second, all sockets together, and how long each took. `inFlight` is shared out. */
  async chat(job: Omit<Timed<'chat'>, 'sender'>): Promise<{ deliveries: number; latencies: number[] }> {
    const inFlight = Math.ceil(job.inFlight / this.#holding.length);
    const parts = await this.#each(
      (child, at): Promise<Chatted> =>
        child.ask({ kind: 'chat', ...job, inFlight, sender: `process ${at}` }, chatted),
    );
    return {
      deliveries: sum(parts.map((part) => part.deliveries)),
      latencies: parts.flatMap((part) => [...part.latencies]),
    };
  }

  /** How many of the sockets are connected still. */
  async connected(): Promise<number> {
    return sum(await this.#each((child) => child.ask({ kind: 'count' }, counted)));
  }

  async disconnect(): Promise<void> {
    await this.#each((child) => child.ask({ kind: 'disconnect' }, done));
    this.#holding = [];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#processes.map((child) => child[Symbol.asyncDispose]()));
  }

  #each<Result>(work: (child: Child, at: number) => Promise<Result>): Promise<Result[]> {
    return Promise.all(this.#holding.map(work));
  }
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
