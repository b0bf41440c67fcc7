import { z } from 'zod';
import { normalizedAddress } from '../../../core/schemas/address.ts';
import { isGuestAddress, newGuestAddress } from '../../../core/schemas/guest-address.ts';
import { success } from '../../../core/schemas/outcome.ts';
import { notSeen, seenByOthers } from '../../../core/schemas/seen-text.ts';
import { text } from '../../../core/schemas/text.ts';
import { defineOperation } from '../../operation.ts';
import { type GuestSettings, requireGuestsAllowed } from '../../players/guest-settings.ts';
import { username } from '../../players/player.ts';
import { announceSession, type NewSessionServices } from '../../sessions/new-session.ts';
import { refuseLauncherServer } from '../../sessions/refuse-launcher-server.ts';
import { playerKeyOf, vouchForPlayer as vouch } from '../commands.ts';

export const vouchForPlayer = defineOperation({
  name: 'vouchForPlayer',
  service: 'launcher',
  kind: 'write',
  summary: "Open a session for a player whom the game's server has signed in itself; takes the game's secret",
  auth: 'game-secret',
  input: z.object({
    playerId: notSeen(
      text(1, 200).meta({
        description: 'What the server knows the player by, such as `steam:76561198000000000`. Kept as a hash',
      }),
      'secret',
    ),
    username: seenByOthers(
      username.optional().meta({
        description: 'The name others see; left out, or while the player is muted, it stays',
      }),
      // The player may still sign in.
      { as: 'name', mute: 'command' },
    ),
  }),
  output: z.object({
    success,
    wallet: normalizedAddress.meta({
      description: 'An address that nobody can sign for; the address of the wallet once the player has one',
    }),
    isNew: z.boolean().meta({ description: 'This playerId was never vouched for before' }),
    isGuest: z.boolean().meta({ description: 'The player has no wallet' }),
    launcherJwt: z.string(),
  }),
  async handler({ input, caller: { game } }, services: NewSessionServices & { guests: GuestSettings }) {
    const { db, guests, sessionLifetimeMs } = services;
    requireGuestsAllowed(guests);
    refuseLauncherServer(game);
    const { details, isNew } = await db.write(
      vouch,
      { gameId: game.id, playerKey: playerKeyOf(game.id, input.playerId) },
      { address: newGuestAddress(), idleMs: guests.idleMs },
      sessionLifetimeMs,
      input.username,
    );
    const launcherJwt = await announceSession(details, services);
    const { wallet } = details.player;
    return { success: true, wallet, isNew, isGuest: isGuestAddress(wallet), launcherJwt };
  },
});
