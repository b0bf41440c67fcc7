import { LRUCache } from 'lru-cache';
import type { TrafficOf } from '../../calls/limits/traffic.ts';

type Spender = Pick<TrafficOf, 'wallet' | 'gameId'>;

const maxRemembered = 10_000;
/**
 * A body is searched for a token this far from either end, in bytes: the large part is a state, not the fields beside
 * it.
 */
export const scannedBytes = 4 * 1024;
const tokenField = /"launcherJwt"\s*:\s*"([A-Za-z0-9._-]+)"/;

/**
 * Tokens whose players were over a byte budget at their last call, so that the next large body with such a token is
 * refused before a worker thread parses it. Only the token's holder can cause a refusal, and only while the player is
 * over budget.
 */
export class OverBudgetTokens {
  readonly #byToken = new LRUCache<string, Spender>({ max: maxRemembered });

  remember(token: unknown, spender: Spender): void {
    if (typeof token === 'string') this.#byToken.set(token, spender);
  }

  /**
   * The player whose token is in the header or in the first bytes of one of these parts; undefined when none of them
   * was over budget.
   */
  find(header: unknown, parts: readonly Buffer[]): Spender | undefined {
    if (this.#byToken.size === 0) return undefined;
    const tokens = [
      header,
      ...parts.map((part) => tokenField.exec(part.toString('latin1', 0, scannedBytes))?.[1]),
    ];
    const token = tokens.find((one) => typeof one === 'string' && this.#byToken.has(one));
    return typeof token === 'string' ? this.#byToken.get(token) : undefined;
  }
}
