import { type AdminCaller, hashOfToken, tokenOwner } from '../administrators/administrator.ts';
import { noteAdministratorUse } from '../administrators/commands.ts';
import { findAdministratorByToken } from '../administrators/queries.ts';
import type { Database } from '../core/storage/database.ts';
import { GantryError } from '../errors.ts';
import { type AdminToken, shownAdminToken } from './admin-token.ts';

/** When a token was last used is kept to the minute: a console asks every second. */
const usedEveryMs = 60_000;

/** Whom an administrator's token is of: the admin token, whose holder is always an owner, or one of the administrators by name. */
export class AdminCredentials {
  readonly #adminToken: AdminToken;
  readonly #db: Database;
  /** When the use of a token was last noted by this process, by administrator. */
  readonly #notedAt = new Map<string, number>();

  constructor(adminToken: AdminToken, db: Database) {
    this.#adminToken = adminToken;
    this.#db = db;
  }

  /**
   * Who shows this `Authorization` header, as things stand now: nothing of it is remembered.
   * @throws GantryError `admin_token_invalid`, `admin_token_expired`
   */
  async check(authorization: string | undefined): Promise<AdminCaller> {
    const token = shownAdminToken(authorization);
    if (token !== null) {
      if (await this.#adminToken.is(token)) return tokenOwner;
      const tokenHash = hashOfToken(token);
      const found = await this.#db.read(findAdministratorByToken, tokenHash);
      if (found) {
        const { administratorId, name, role, expiresAt, lastUsedAt } = found.administrator;
        if (found.isExpired) {
          throw new GantryError(
            'admin_token_expired',
            `The token of ${name} has expired: have an owner make a new one`,
          );
        }
        this.#note(administratorId, tokenHash, lastUsedAt);
        return { administratorId, actor: name, role, expiresAt };
      }
    }
    throw new GantryError(
      'admin_token_invalid',
      "This takes an administrator's token: Authorization: Bearer <token>",
    );
  }

  /** Nobody waits for it: a database that takes no writes right now can still be looked at. */
  #note(administratorId: string, tokenHash: string, lastUsedAt: number | null): void {
    const now = Date.now();
    const last = Math.max(lastUsedAt ?? 0, this.#notedAt.get(administratorId) ?? 0);
    // Of another token than before, it has not been noted yet.
    if (lastUsedAt !== null && now - last < usedEveryMs && now >= last) return;
    this.#notedAt.set(administratorId, now);
    this.#db.write(noteAdministratorUse, administratorId, tokenHash).catch(() => undefined);
  }
}
