import { GantryError } from '../../core/errors.ts';
import type { Store } from '../../core/storage/store.ts';
import {
  type AdminCaller,
  hashOfToken,
  tokenOwner,
} from '../../features/administration/administrators/administrator.ts';
import { recordAdministratorUse } from '../../features/administration/administrators/commands.ts';
import { findAdministratorByToken } from '../../features/administration/administrators/queries.ts';
import { type AdminToken, bearerToken } from './admin-token.ts';
import type { ConsoleSignIns } from './console-sign-ins.ts';

/** The resolution of a token's last use, since a console polls every second. */
const useIntervalMs = 60_000;

/**
 * Resolves an administrator's token: the admin token, whose holder is always an owner, or that of a named
 * administrator.
 */
export class AdminCredentials {
  readonly #adminToken: AdminToken;
  readonly #db: Store;
  readonly #consoleSignIns: ConsoleSignIns;
  /** When this process last recorded the use of an administrator's token. */
  readonly #recordedAt = new Map<string, number>();

  constructor(adminToken: AdminToken, db: Store, consoleSignIns: ConsoleSignIns) {
    this.#adminToken = adminToken;
    this.#db = db;
    this.#consoleSignIns = consoleSignIns;
  }

  /**
   * The administrator of an `Authorization` header. Not cached, so that a revoked token is refused at once.
   * @throws GantryError `admin_token_invalid`, `admin_token_expired`
   */
  async check(authorization: string | undefined): Promise<AdminCaller> {
    const token = bearerToken(authorization);
    if (token !== null) {
      if (await this.#adminToken.is(token)) return tokenOwner;
      const expiresAt = this.#consoleSignIns.expiryOf(token);
      if (expiresAt !== null) return { ...tokenOwner, expiresAt };
      const tokenHash = hashOfToken(token);
      const found = await this.#db.read(findAdministratorByToken, tokenHash);
      if (found) {
        const { administratorId, name, role, expiresAt, lastUsedAt } = found.administrator;
        if (found.isExpired) {
          throw new GantryError(
            'admin_token_expired',
            `The token of ${name} has expired: ask an owner to create a new one`,
          );
        }
        this.#recordUse(administratorId, tokenHash, lastUsedAt);
        return { administratorId, actor: name, role, expiresAt };
      }
    }
    throw new GantryError(
      'admin_token_invalid',
      token === null
        ? "This operation requires an administrator's token: Authorization: Bearer <token>"
        : "This administrator's token is not valid: it was mistyped, revoked or replaced",
    );
  }

  /** Exchanges the code of a console's link for a token. @throws GantryError `admin_token_invalid` */
  signInToConsole(authorization: string | undefined): { token: string; expiresAt: number } {
    const opened = this.#consoleSignIns.redeem(bearerToken(authorization) ?? '');
    if (opened) return opened;
    throw new GantryError(
      'admin_token_invalid',
      'This link was used before, or has expired: restart the server for a new one, or sign in with a token',
    );
  }

  /** Not awaited, so that administrators can still read while the database accepts no writes. */
  #recordUse(administratorId: string, tokenHash: string, lastUsedAt: number | null): void {
    const now = this.#db.now();
    const last = Math.max(lastUsedAt ?? 0, this.#recordedAt.get(administratorId) ?? 0);
    // `lastUsedAt` is null for a new token, whose first use is always recorded.
    if (lastUsedAt !== null && now - last < useIntervalMs && now >= last) return;
    this.#recordedAt.set(administratorId, now);
    this.#db.write(recordAdministratorUse, administratorId, tokenHash).catch(() => undefined);
  }
}
