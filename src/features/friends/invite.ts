import { z } from 'zod';
import { id, normalizedAddress, text, timestamp } from '../../core/schemas/fields.ts';
import { notSeen, seenByOthers } from '../../core/schemas/seen-text.ts';
import type { InviteRow } from './tables.ts';

/** How long an invite can be accepted, in milliseconds. */
export const inviteLifetimeMs = 10 * 60 * 1000;
/** The most invites that a player has sent and that have not ended. */
export const maxOpenInvites = 100;

/** What the game needs to join the sender: its own format, never shown. */
export const connectText = notSeen(text(0, 256), 'data');
export const inviteMessage = seenByOthers(text(0, 140), { as: 'text', mute: 'call' });

/** How an invite ended. */
const inviteOutcome = z.enum(['accepted', 'declined', 'cancelled']);
export type InviteOutcome = z.infer<typeof inviteOutcome>;

/** An invite to a game, as its sender and its receiver see it. `connect` is answered only to who accepts. */
export const invite = z
  .object({
    inviteId: id,
    from: normalizedAddress,
    wallet: normalizedAddress.meta({ description: 'Who is invited' }),
    gameId: id,
    message: z.string(),
    createdAt: timestamp,
    expiresAt: timestamp,
    outcome: z.exactOptional(inviteOutcome).meta({ description: 'Only in `invites removed`' }),
  })
  .meta({ id: 'Invite' });
export type Invite = z.infer<typeof invite>;

export const joinRequest = z
  .object({
    inviteId: id,
    gameId: id,
    from: normalizedAddress.meta({ description: 'Whom the player wants to join' }),
    normalizedAddress: normalizedAddress.meta({ description: 'The player' }),
    connect: z.string().meta({ description: "What the sender's game has set for joining it" }),
  })
  .meta({ id: 'JoinRequest' });

export function toInvite({
  id: inviteId,
  sender: from,
  wallet,
  gameId,
  message,
  ...times
}: InviteRow): Invite {
  const { createdAt, expiresAt } = times;
  return { inviteId, from, wallet, gameId, message, createdAt, expiresAt };
}
