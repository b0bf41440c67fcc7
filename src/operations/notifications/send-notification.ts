import { z } from 'zod';
import { notificationMessage, notificationType } from '../../domain/notification.ts';
import { success } from '../../domain/outcome.ts';
import { defineOperation } from '../define.ts';
import { ownerOf } from '../owner.ts';

export const sendNotification = defineOperation({
  name: 'sendNotification',
  service: 'launcher',
  kind: 'write',
  summary: "Notify the player: kept, and pushed to the player's launchers",
  auth: 'player',
  input: z.object({ message: notificationMessage, type: notificationType }),
  output: z.object({ success }),
  async handler({ input, caller }, { store }) {
    await store.notifications.send(ownerOf(caller), input);
    return { success: true };
  },
});
