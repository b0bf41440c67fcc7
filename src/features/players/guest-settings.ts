import { GantryError } from '../../core/errors.ts';

/** The operator's settings for guests. */
export interface GuestSettings {
  readonly areAllowed: boolean;
  /** How long a guest without any activity is kept, in milliseconds. */
  readonly idleMs: number;
}

/** @throws GantryError `guests_forbidden` */
export function requireGuestsAllowed({ areAllowed }: GuestSettings): void {
  if (areAllowed) return;
  throw new GantryError('guests_forbidden', 'Guests are disabled on this server: sign in with a wallet');
}
