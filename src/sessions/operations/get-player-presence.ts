import { z } from 'zod';
import { addressInput, normalizedAddress } from '../../core/schemas/address.ts';
import { success } from '../../core/schemas/outcome.ts';
import type { Store } from '../../core/storage/store.ts';
import { defineOperation } from '../../operations/define.ts';
import type { Presence } from '../../presence/presence.ts';
import { liveSessions } from '../queries.ts';
import { isSessionPresent } from '../session-presence.ts';

const maxWallets = 100;

export const getPlayerPresence = defineOperation({
  name: 'getPlayerPresence',
  service: 'launcher',
  kind: 'read',
  summary: "Read which of up to 100 players are in the game now; requires the game's secret",
  auth: 'game-secret',
  input: z.object({
    wallets: z
      .array(addressInput)
      .min(1, 'must name at least one player')
      .max(maxWallets, `must name at most ${maxWallets} players`),
  }),
  output: z.object({
    success,
    players: z
      .array(
        z.object({
          wallet: normalizedAddress,
          present: z.boolean().meta({ description: 'Whether the player is online in this game' }),
          sessions: z.int().meta({ description: 'How many live sessions the player has in this game' }),
        }),
      )
      .meta({ description: 'In the order of `wallets`' }),
  }),
  async handler({ input, caller: { game } }, services: { db: Store; presence: Presence }) {
    const players = input.wallets.map(async (wallet) => {
      const live = await services.db.read(liveSessions, wallet);
      const here = live.filter((session) => session.game.id === game.id);
      const present = await Promise.all(here.map(({ session }) => isSessionPresent(services, session)));
      return { wallet, present: present.includes(true), sessions: here.length };
    });
    return { success: true, players: await Promise.all(players) };
  },
});
