import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

export interface WhoPlays {
  url: string;
  launcherJwt: string;
}

/** To the thread: play for so many seconds; or say how it went. */
export type Asked = { play: number } | { tell: true };
/** Times in milliseconds. */
export interface Waits {
  p50: number;
  p99: number;
}
export interface Outcome {
  /** Calls that were not answered with a 200. */
  failed: number;
  /** Scores that were answered and are not there. */
  lost: number;
}
export type Told = Waits | Outcome;

/** A player in a thread of its own, who waits for the server alone, and not for what the attackers' thread is busy with. */
export class Innocent implements AsyncDisposable {
  readonly #worker: Worker;

  constructor(who: WhoPlays) {
    this.#worker = new Worker(new URL('./innocent-thread.ts', import.meta.url), { workerData: who });
  }

  async play(seconds: number): Promise<Waits> {
    const told = await this.#ask({ play: seconds });
    if (!('p99' in told)) throw new Error('the innocent player answered something else');
    return told;
  }

  async outcome(): Promise<Outcome> {
    const told = await this.#ask({ tell: true });
    if (!('lost' in told)) throw new Error('the innocent player answered something else');
    return told;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#worker.terminate();
  }

  async #ask(asked: Asked): Promise<Told> {
    this.#worker.postMessage(asked);
    const [told] = await once(this.#worker, 'message');
    return told as Told;
  }
}
