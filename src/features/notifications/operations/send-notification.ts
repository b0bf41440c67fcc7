import { z } from 'zod';
import { success } from '../../../core/schemas/outcome.ts';
import { notSeen } from '../../../core/schemas/seen-text.ts';
import type { Store } from '../../../core/storage/store.ts';
import { defineOperation } from '../../operation.ts';
import { ownerOf } from '../../owner.ts';
import { notifyPlayer } from '../commands.ts';
import { expiresInSeconds, notificationMessage, notificationType } from '../notification.ts';

export const sendNotification = defineOperation({
  name: 'sendNotification',
  service: 'launcher',
  kind: 'write',
  summary: "Notify the player: stored, and pushed to the player's launchers",
  auth: 'player-or-server',
  input: z.object({ message: notSeen(notificationMessage, 'own'), type: notificationType, expiresInSeconds }),
  output: z.object({ success }),
  async handler({ input, caller }, { db }: { db: Store }) {
    await db.write(notifyPlayer, ownerOf(caller), input);
    return { success: true };
  },
});
