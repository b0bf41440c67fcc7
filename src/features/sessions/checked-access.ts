import { GantryError, type MissingToken } from '../../core/errors.ts';
import { isGuestAddress } from '../../core/schemas/fields.ts';
import type { OpenedBy } from '../../core/schemas/opened-by.ts';
import { balanceKey } from '../../core/schemas/token-condition.ts';
import { type AccessRule, describeAccess, type KnownBalances, noneOf, tokensOf } from '../games/access.ts';
import type { Game } from '../games/game.ts';

/** Seconds after which a check that failed may be repeated. */
const retryAfterSeconds = 5;

/** Ways in which players open sessions themselves. */
export const byPlayer: readonly OpenedBy[] = ['wallet', 'device', 'launcher'];

/** The policy `access` as text, to be compared; null when the game requires nothing. */
export function accessKeyOf({ policies: { access } }: Game): string | null {
  return access === null ? null : JSON.stringify(access);
}

/**
 * Refuses a session that a player opens without having been checked against the game's present requirements. Commands
 * cannot read chains, so `GameAccess` has done that before, and says with `checked` against what. The game's server and
 * administrators may let in whom they want.
 * @throws GantryError `access_denied`, `access_unknown`
 */
export function requireCheckedAccess(
  game: Game,
  wallet: string,
  openedBy: OpenedBy,
  checked: string | null,
): void {
  const { access } = game.policies;
  if (access === null || !byPlayer.includes(openedBy)) return;
  if (isGuestAddress(wallet)) refuseGuest(game, access);
  if (checked !== accessKeyOf(game)) throw accessUnknown(game);
}

/** A guest's address has no key, and so owns nothing. @throws GantryError `access_denied` */
export function refuseGuest(game: Game, access: AccessRule): never {
  throw accessDenied(game, access, noneOf(access));
}

/** Refuses a player who does not own what the game requires, and names the tokens of which the player has too few. */
export function accessDenied({ name }: Game, rule: AccessRule, balances: KnownBalances): GantryError {
  const missing = tokensOf(rule).flatMap(({ token }): MissingToken[] => {
    const owned = balances.get(balanceKey(token));
    const { standard, chainId = 0, contract = '', tokenId, amount } = token;
    if (owned === undefined || owned >= BigInt(amount)) return [];
    const id = tokenId === undefined ? {} : { tokenId };
    return [{ standard, chainId, contract, ...id, amount, owned: String(owned) }];
  });
  const message = `${name} requires ${describeAccess(rule)}, which this player does not own`;
  return new GantryError('access_denied', message, { missing });
}

/** It could not be found out whether the player owns what the game requires. */
export function accessUnknown({ name }: Game, cause?: unknown): GantryError {
  const message = `Whether this player owns what ${name} requires cannot be checked now; try again in ${retryAfterSeconds} seconds`;
  return new GantryError('access_unknown', message, { retryAfterSeconds, cause });
}
