import { z } from 'zod';
import { defineEvent } from '../../core/events/event.ts';
import { friendRecord } from './friend.ts';
import { invite, joinRequest } from './invite.ts';
import { friendPresence, ownStatus } from './presence.ts';
import { privacyRecord } from './privacy.ts';

export const friendCreated = defineEvent('friends created', friendRecord);
export const friendPatched = defineEvent('friends patched', friendRecord);
export const friendRemoved = defineEvent('friends removed', friendRecord);

export const privacyPatched = defineEvent('privacy patched', privacyRecord);

export const inviteCreated = defineEvent('invites created', invite);
export const inviteRemoved = defineEvent('invites removed', invite);

/** A signal to the game of an invite that its player has accepted. */
export const joinRequested = defineEvent('game-joins requested', joinRequest);

/**
 * A signal to who follows friends: those whose presence has changed. To a launcher, also the player's own status, when
 * that has changed, such as on another device.
 */
export const friendPresencePatched = defineEvent(
  'friend-presence patched',
  z.object({ friends: z.array(friendPresence), own: z.exactOptional(ownStatus) }),
);

/** The other player that an event of a player's account stream is about; null: it is for launchers only. */
export function otherOf(owner: string, name: string, record: object): string | null {
  if (name.startsWith('friends ') && 'wallet' in record) return String(record.wallet);
  if (!name.startsWith('invites ') || !('from' in record && 'wallet' in record)) return null;
  return String(record.from === owner ? record.wallet : record.from);
}
