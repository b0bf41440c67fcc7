import { setTimeout as delay } from 'node:timers/promises';
import type { LedgerClient } from './ledger-book.ts';

/** `firstResyncs`: the streams that it reported as not recoverable when it first connected. */
export interface Launcher extends LedgerClient {
  firstResyncs: number;
}

/** Launchers that arrive one after the other, in random intervals of half a second on average. */
export function startArriving(
  count: number,
  arrive: (at: number) => Promise<Launcher>,
): { stop(): Promise<Launcher[]> } {
  const arriving: Promise<Launcher>[] = [];
  let isStopped = false;
  const running = (async () => {
    for (let at = 0; at < count && !isStopped; at++) {
      arriving.push(arrive(at));
      await delay(Math.random() * 1_000);
    }
  })();
  return {
    /** Resolves when all that have set out have arrived. */
    async stop() {
      isStopped = true;
      await running;
      return Promise.all(arriving);
    },
  };
}

/** Tries until it succeeds: the server may be down, and the connection may be lost meanwhile. */
export async function retried<Result>(attempt: () => Promise<Result>): Promise<Result> {
  for (;;) {
    try {
      return await attempt();
    } catch {
      await delay(100);
    }
  }
}
