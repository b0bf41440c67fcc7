import { z } from 'zod';
import { id } from '../../../core/schemas/ids.ts';
import { success } from '../../../core/schemas/outcome.ts';
import type { Store } from '../../../core/storage/store.ts';
import { defineOperation } from '../../operation.ts';
import { addDevice } from '../commands.ts';
import { deviceName, deviceSecret, hashOfDeviceSecret, newDeviceSecret } from '../device.ts';
import { requireOwnDevice } from './require-own-device.ts';

export const addGuestDevice = defineOperation({
  name: 'addGuestDevice',
  service: 'launcher',
  kind: 'sign-in',
  summary: 'Add a device that can sign in as this player without a wallet, and get its secret',
  auth: 'player',
  input: z.object({ deviceName }),
  output: z.object({ success, deviceId: id, deviceSecret }),
  async handler({ input, caller }, { db }: { db: Store }) {
    requireOwnDevice(caller);
    const secret = newDeviceSecret();
    const device = { secretHash: hashOfDeviceSecret(secret), name: input.deviceName };
    return {
      success: true,
      deviceId: await db.write(addDevice, caller.wallet, device),
      deviceSecret: secret,
    };
  },
});
