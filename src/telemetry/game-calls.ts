import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { reasons } from '../core/errors.ts';
import { timestamp } from '../core/schemas/fields.ts';
import type { CallObservation } from './call-observer.ts';

/** A day in periods of ten minutes. */
const periodMs = 10 * 60_000;
const periods = 144;
/** Beyond this number, the game that was called least recently is forgotten: 2 KiB each. */
const maxGames = 2_000;

/** The calls of one game in a period. */
export const gameCallsSample = z
  .object({
    at: timestamp.meta({ description: 'The start of the period' }),
    calls: z.int(),
    refused: z.int().meta({ description: 'Answered with 4xx, included in the calls' }),
    failed: z.int().meta({ description: 'Answered with 5xx, included in the calls' }),
  })
  .meta({ id: 'GameCallsSample' });
export type GameCallsSample = z.infer<typeof gameCallsSample>;

/** How many calls this process answered for each game. */
export interface GameCalls {
  /** The length of a period in milliseconds. */
  readonly everyMs: number;
  /** The periods of the last day since the first call, oldest first. */
  samples(gameId: string): GameCallsSample[];
}

/** For the command line without a running server. */
export const noGameCalls: GameCalls = { everyMs: periodMs, samples: () => [] };

interface Counts {
  /** The first period counted, since the epoch. */
  from: number;
  /** The last one. */
  to: number;
  calls: Uint32Array;
  refused: Uint32Array;
  failed: Uint32Array;
}

/** Counts calls by game in memory, over the last day: two increments per call. */
export class RecentGameCalls implements GameCalls {
  readonly everyMs = periodMs;
  readonly #games = new LRUCache<string, Counts>({ max: maxGames });
  readonly #now: () => number;

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  add({ gameId, outcome }: Pick<CallObservation, 'gameId' | 'outcome'>): void {
    if (gameId === undefined || outcome === 'aborted') return;
    const period = Math.floor(this.#now() / periodMs);
    let counts = this.#games.get(gameId);
    if (!counts) {
      const none = () => new Uint32Array(periods);
      counts = { from: period, to: period, calls: none(), refused: none(), failed: none() };
      this.#games.set(gameId, counts);
    }
    advance(counts, period);
    const at = period % periods;
    increment(counts.calls, at);
    if (outcome !== 'ok') increment(reasons[outcome] >= 500 ? counts.failed : counts.refused, at);
  }

  samples(gameId: string): GameCallsSample[] {
    const counts = this.#games.get(gameId);
    if (!counts) return [];
    const now = Math.floor(this.#now() / periodMs);
    advance(counts, now);
    const samples: GameCallsSample[] = [];
    for (let period = Math.max(counts.from, counts.to - periods + 1); period <= counts.to; period++) {
      const at = period % periods;
      samples.push({
        at: period * periodMs,
        calls: counts.calls[at] ?? 0,
        refused: counts.refused[at] ?? 0,
        failed: counts.failed[at] ?? 0,
      });
    }
    return samples;
  }
}

/** Clears the periods since the last one counted. The clock may have been set back: then the last one continues. */
function advance(counts: Counts, period: number): void {
  for (let next = Math.max(counts.to + 1, period - periods + 1); next <= period; next++) {
    for (const list of [counts.calls, counts.refused, counts.failed]) list[next % periods] = 0;
  }
  counts.to = Math.max(counts.to, period);
}

function increment(list: Uint32Array, at: number): void {
  list[at] = (list[at] ?? 0) + 1;
}
