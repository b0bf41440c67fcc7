import { z } from 'zod';
import { idInput } from '../../../core/schemas/ids.ts';
import { success } from '../../../core/schemas/outcome.ts';
import type { Store } from '../../../core/storage/store.ts';
import { defineOperation } from '../../operation.ts';
import { removeDevice } from '../commands.ts';
import { requireOwnDevice } from './require-own-device.ts';

export const removeGuestDevice = defineOperation({
  name: 'removeGuestDevice',
  service: 'launcher',
  kind: 'write',
  summary: "Remove a device of this player without a wallet, and end the player's other sessions",
  auth: 'player',
  input: z.object({ deviceId: idInput }),
  output: z.object({ success }),
  async handler({ input, caller }, { db }: { db: Store }) {
    requireOwnDevice(caller);
    await db.write(removeDevice, caller.wallet, input.deviceId, caller.session.id);
    return { success: true };
  },
});
