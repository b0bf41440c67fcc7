import { z } from 'zod';
import { addressInput, normalizedAddress } from '../../../core/schemas/address.ts';
import { success } from '../../../core/schemas/outcome.ts';
import { notSeen } from '../../../core/schemas/seen-text.ts';
import type { Store } from '../../../core/storage/store.ts';
import { defineOperation } from '../../operation.ts';
import { notifySeveral } from '../commands.ts';
import { expiresInSeconds, notificationMessage, notificationType } from '../notification.ts';

const maxWallets = 100;

export const notifyPlayers = defineOperation({
  name: 'notifyPlayers',
  service: 'launcher',
  kind: 'write',
  summary: "Notify up to 100 players at once; requires the game's secret",
  auth: 'game-secret',
  input: z.object({
    wallets: z
      .array(addressInput)
      .min(1, 'must name at least one player')
      .max(maxWallets, `must name at most ${maxWallets} players`)
      .refine((wallets) => new Set(wallets).size === wallets.length, 'names a wallet twice'),
    message: notSeen(notificationMessage, 'game'),
    type: notificationType,
    expiresInSeconds,
  }),
  cost: { text: 'one write for every wallet', of: ({ wallets }) => wallets.length },
  output: z.object({
    success,
    banned: z
      .array(normalizedAddress)
      .meta({ description: 'Players not notified because they are banned from the game; all others were' }),
  }),
  async handler({ input: { wallets, ...notification }, caller: { game } }, { db }: { db: Store }) {
    return { success: true, ...(await db.write(notifySeveral, game.id, wallets, notification)) };
  },
});
