import { GantryError } from '../../../core/errors.ts';
import { isGuestAddress } from '../../../core/schemas/fields.ts';
import { requireOpenedBy } from '../../../core/schemas/opened-by.ts';
import type { Store } from '../../../core/storage/store.ts';
import type { SessionCaller } from '../../operation.ts';
import { listDevices } from '../queries.ts';

/**
 * Requires a guest's session that was opened with the secret of one of its devices, in a game or in a launcher.
 * @throws GantryError `not_a_guest`, `sign_in_required`
 */
export function requireOwnDevice({ wallet, session }: SessionCaller): void {
  requireGuest(wallet);
  requireOpenedBy(session, ['device'], "sign in with a device's secret (signInGuest)");
}

/**
 * Requires who may link a wallet to a guest: one of its devices or, as long as it has none, the server that vouches
 * for it. That server identifies the guest, and proves itself with the game's secret: the session's token alone may
 * have been seen by others.
 * @throws GantryError `not_a_guest`, `sign_in_required`
 */
export async function requireOwner(caller: SessionCaller, db: Store): Promise<void> {
  const { wallet, session, hasSecret } = caller;
  requireGuest(wallet);
  const isByServer = session.openedBy === 'vouching' && hasSecret;
  if (isByServer && (await db.read(listDevices, wallet)).length === 0) return;
  requireOpenedBy(
    session,
    ['device'],
    "sign in with a device's secret (signInGuest), or have the game's server call it for a player it vouches for",
  );
}

function requireGuest(wallet: string): void {
  if (isGuestAddress(wallet)) return;
  throw new GantryError('not_a_guest', 'This operation is only for guests; this player has a wallet');
}
