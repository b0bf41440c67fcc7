import { LRUCache } from 'lru-cache';
import type { TrafficOf } from '../../limits/traffic.ts';

type Spender = Pick<TrafficOf, 'wallet' | 'gameId'>;

const maxRemembered = 10_000;
/** A token is looked for this far from either end of a body: beside it there is a label, and the rest is large. */
export const lookedThroughBytes = 4 * 1024;
const tokenField = /"launcherJwt"\s*:\s*"([A-Za-z0-9._-]+)"/;

/**
 * Tokens whose players were over a budget of bytes when they last called, so that the next large body with one of them is
 * refused before a thread reads it. Only who has the token can have it refused, and only while its player is over.
 */
export class KnownSpenders {
  readonly #byToken = new LRUCache<string, Spender>({ max: maxRemembered });

  remember(token: unknown, spender: Spender): void {
    if (typeof token === 'string') this.#byToken.set(token, spender);
  }

  /** Whose body these parts seem to be of, each by how it begins; undefined: nobody's who was over a budget. */
  find(header: unknown, parts: readonly Buffer[]): Spender | undefined {
    if (this.#byToken.size === 0) return undefined;
    const tokens = [
      header,
      ...parts.map((part) => tokenField.exec(part.toString('latin1', 0, lookedThroughBytes))?.[1]),
    ];
    const token = tokens.find((one) => typeof one === 'string' && this.#byToken.has(one));
    return typeof token === 'string' ? this.#byToken.get(token) : undefined;
  }
}
