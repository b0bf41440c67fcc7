import { createHash, randomBytes } from 'node:crypto';

/** A code can be used this long, once. */
const codeMs = 10 * 60_000;
/** A token from a code is valid this long. */
const tokenMs = 12 * 60 * 60_000;

const tokenPrefix = 'gct_';

/**
 * Signs an operator in to the console by a link with a code, in place of the admin token, which must not be in an address.
 * The code is exchanged once for a token of the role owner. Both are kept in the memory of this process only: a restart
 * ends them, and other nodes do not know them.
 */
export class ConsoleSignIns {
  /** When they expire, by their hashes. */
  readonly #codes = new Map<string, number>();
  readonly #tokens = new Map<string, number>();
  readonly #now: () => number;

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  newCode(): string {
    const code = randomBytes(16).toString('base64url');
    this.#codes.set(hashOf(code), this.#now() + codeMs);
    return code;
  }

  /** Exchanges a code; null when it was used before, has expired, or never existed. Times are Unix milliseconds. */
  redeem(code: string): { token: string; expiresAt: number } | null {
    const hash = hashOf(code);
    const isValid = this.#isValid(this.#codes, hash);
    this.#codes.delete(hash);
    if (!isValid) return null;
    const token = tokenPrefix + randomBytes(32).toString('base64url');
    const expiresAt = this.#now() + tokenMs;
    this.#tokens.set(hashOf(token), expiresAt);
    return { token, expiresAt };
  }

  /** When this token expires; null when it is none, or has expired. */
  expiryOf(token: string): number | null {
    if (!token.startsWith(tokenPrefix)) return null;
    const hash = hashOf(token);
    if (this.#isValid(this.#tokens, hash)) return this.#tokens.get(hash) ?? null;
    this.#tokens.delete(hash);
    return null;
  }

  #isValid(expiries: ReadonlyMap<string, number>, hash: string): boolean {
    return (expiries.get(hash) ?? 0) > this.#now();
  }
}

/** Looked up by hash, so that the time of a lookup tells nothing. */
function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}
