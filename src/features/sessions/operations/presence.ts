import { z } from 'zod';
import type { Presence } from '../../../cluster/presence/presence.ts';
import { addressInput, normalizedAddress, success } from '../../../core/schemas/fields.ts';
import type { Store } from '../../../core/storage/store.ts';
import { defineOperation } from '../../operation.ts';
import { channelStatus as status } from '../channel-session.ts';
import { liveSessionsOf } from '../queries.ts';
import { announcePresence, isSessionPresent, presentSessions } from '../session-presence.ts';

export const channelStatus = defineOperation({
  name: 'channelStatus',
  service: 'launcher',
  kind: 'read',
  summary: "Get the status of the token's channel session; `exists` is false once it has ended",
  auth: 'session',
  input: z.object({}),
  output: status,
  async handler({ caller: { session } }, services: { db: Store; presence: Presence }) {
    const exists = session.endedAt === null;
    return {
      exists,
      present: exists && (await isSessionPresent(services, session)),
      wallet: session.wallet,
      openedAt: session.openedAt,
    };
  },
});

export const channelHeartbeat = defineOperation({
  name: 'channelHeartbeat',
  service: 'launcher',
  kind: 'write',
  goesOnInMaintenance: true,
  isRepeatable: true,
  summary: 'Keep the channel session online for another 3 minutes',
  auth: 'player',
  input: z.object({}),
  output: z.object({ success }),
  async handler({ caller: { session } }, services: { db: Store; presence: Presence }) {
    if (await services.presence.heartbeat(session.id)) await announcePresence(services, session.id);
    return { success: true };
  },
});

const maxWallets = 100;

export const getPlayerPresence = defineOperation({
  name: 'getPlayerPresence',
  service: 'launcher',
  kind: 'read',
  summary: "Check which of up to 100 players are online in the game; requires the game's secret",
  auth: 'game-secret',
  input: z.object({
    wallets: z
      .array(addressInput)
      .min(1, 'must name at least one player')
      .max(maxWallets, `must name at most ${maxWallets} players`),
  }),
  cost: { text: 'one read for every 20 wallets', of: ({ wallets }) => wallets.length / 20 },
  output: z.object({
    success,
    players: z
      .array(
        z.object({
          wallet: normalizedAddress,
          present: z.boolean().meta({ description: 'Whether the player is online in this game' }),
          sessions: z.int().meta({ description: "Number of the player's live sessions in this game" }),
        }),
      )
      .meta({ description: 'In the same order as `wallets`' }),
  }),
  async handler({ input, caller: { game } }, services: { db: Store; presence: Presence }) {
    const { wallets } = input;
    const live = await services.db.read(liveSessionsOf, wallets);
    const here = live.flatMap(({ session }) => (session.gameId === game.id ? [session] : []));
    const present = await presentSessions(services, here, live);
    const byWallet = Map.groupBy(here, ({ wallet }) => wallet);
    const players = wallets.map((wallet) => {
      const sessions = byWallet.get(wallet) ?? [];
      return { wallet, present: sessions.some(({ id }) => present.has(id)), sessions: sessions.length };
    });
    return { success: true, players };
  },
});
