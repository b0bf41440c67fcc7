import { GantryError } from '../errors.ts';

/** What the operator has settled about players without a wallet. */
export interface GuestSettings {
  readonly areAllowed: boolean;
  /** After how long guests are removed who never did anything. */
  readonly idleMs: number;
}

/** @throws GantryError `guests_forbidden` */
export function requireGuestsAllowed({ areAllowed }: GuestSettings): void {
  if (areAllowed) return;
  throw new GantryError('guests_forbidden', 'On this server players sign in with a wallet');
}
