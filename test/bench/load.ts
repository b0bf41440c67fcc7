import { availableParallelism } from 'node:os';
import { Child } from './child.ts';
import {
  type Chatted,
  chatted,
  counted,
  done,
  type HttpJob,
  type SocketJob,
  succeeded,
  type Timings,
  timings,
} from './loads/jobs.ts';
import type { ServerProcess } from './server-process.ts';
import { type Done, type Throughput, throughput } from './throughput.ts';

type Timed<Kind> = Omit<Extract<SocketJob, { kind: Kind }>, 'kind'>;

/** A process that sends HTTP requests. One keeps several Express servers busy. */
export class HttpLoad implements AsyncDisposable {
  readonly #process = new Child(new URL('./loads/http-load.ts', import.meta.url));

  /** Requests that a server answered with success. */
  requests(server: ServerProcess, job: Omit<HttpJob, 'url'>): Promise<Throughput> {
    return throughput(server, () => this.#process.ask({ url: server.url, ...job }, succeeded));
  }

  /** The same, and how long each took, in milliseconds; the server's use is not measured. */
  timed(job: HttpJob): Promise<Timings> {
    return this.#process.ask({ ...job, isTimed: true }, timings);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#process[Symbol.asyncDispose]();
  }
}

/**
 * Processes that hold sockets. A Socket.IO client costs as much as the server it talks to, so there are as many as
 * there are spare cores, up to three; with one or two cores the clients are part of the figure.
 */
export class SocketLoad implements AsyncDisposable {
  readonly #processes = Array.from(
    { length: Math.min(3, Math.max(1, availableParallelism() - 1)) },
    () => new Child(new URL('./loads/socket-load.ts', import.meta.url)),
  );
  /** Those that hold sockets now, and to which server. */
  #holding: readonly Child[] = [];
  #server: ServerProcess | undefined;

  /** Opens a socket for each token, spread over the processes, and resolves when all are connected. */
  async connect(server: ServerProcess, tokens: readonly string[]): Promise<void> {
    this.#server = server;
    this.#holding = this.#processes.slice(0, tokens.length);
    await this.#each((child, at) => {
      const share = tokens.filter((_, index) => index % this.#holding.length === at);
      return child.ask({ kind: 'connect', url: server.url, tokens: share }, done);
    });
  }

  /** The same, and waits until each launcher has received as many missed events as there are; a socket is one unit. */
  storm(
    server: ServerProcess,
    { launchers, missedEvents }: Omit<Timed<'storm'>, 'url'>,
  ): Promise<Throughput> {
    this.#server = server;
    this.#holding = this.#processes.slice(0, launchers.length);
    return this.#measure(async () => {
      const startedAt = performance.now();
      await this.#each((child, at) => {
        const share = launchers.filter((_, index) => index % this.#holding.length === at);
        return child.ask({ kind: 'storm', url: server.url, launchers: share, missedEvents }, done);
      });
      const count = launchers.length;
      return { count, perSecond: (count * 1000) / (performance.now() - startedAt) };
    });
  }

  /** Calls acked, over all sockets. */
  calls(job: Timed<'call'>): Promise<Throughput> {
    return this.#measure(async () =>
      together(await this.#each((child) => child.ask({ kind: 'call', ...job }, succeeded))),
    );
  }

  /**
   * Messages delivered, over all sockets, and the latency of each, in milliseconds. `inFlight` is divided among the
   * processes.
   */
  chat(job: Omit<Timed<'chat'>, 'sender'>): Promise<Throughput & { latencies: number[] }> {
    const inFlight = Math.ceil(job.inFlight / this.#holding.length);
    return this.#measure(async () => {
      const parts = await this.#each(
        (child, at): Promise<Chatted> =>
          child.ask({ kind: 'chat', ...job, inFlight, sender: `process ${at}` }, chatted),
      );
      return { ...together(parts), latencies: parts.flatMap((part) => [...part.latencies]) };
    });
  }

  /** How many of the sockets are still connected. */
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

  #measure<Load extends Done>(load: () => Promise<Load>): Promise<Load & Throughput> {
    if (!this.#server) throw new Error('no sockets are connected');
    return throughput(this.#server, load);
  }

  #each<Result>(work: (child: Child, at: number) => Promise<Result>): Promise<Result[]> {
    return Promise.all(this.#holding.map(work));
  }
}

function together(parts: readonly Done[]): Done {
  return {
    count: sum(parts.map((part) => part.count)),
    perSecond: sum(parts.map((part) => part.perSecond)),
  };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
