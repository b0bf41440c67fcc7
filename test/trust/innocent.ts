import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

export interface WhoPlays {
  url: string;
  launcherJwt: string;
}

/** To the thread: be this player, who has no score yet; play for this many seconds; or report the result. */
export type Asked = { become: WhoPlays } | { play: number } | { tell: true };
/** Times in milliseconds. */
export interface Waits {
  p50: number;
  p99: number;
}
export interface Outcome {
  /** Calls that were not answered with a 200. */
  failed: number;
  /** Acknowledged scores that are missing. */
  lost: number;
}
export type Told = Waits | Outcome;

/** A player in a separate thread, so that its waiting times depend on the server, not on the attackers' busy thread. */
export class Innocent implements AsyncDisposable {
  readonly #worker = new Worker(new URL('./innocent-thread.ts', import.meta.url));

  /** Starting a thread takes as long as an attack of a moment, so one plays all the innocent players in turn. */
  become(who: WhoPlays): void {
    this.#worker.postMessage({ become: who } satisfies Asked);
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

  async #ask(requested: Asked): Promise<Told> {
    this.#worker.postMessage(requested);
    const [told] = await once(this.#worker, 'message');
    return told as Told;
  }
}
