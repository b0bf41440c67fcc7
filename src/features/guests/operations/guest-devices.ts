import { z } from 'zod';
import { id, idInput, success } from '../../../core/schemas/fields.ts';
import type { Store } from '../../../core/storage/store.ts';
import { defineOperation } from '../../operation.ts';
import { addDevice, removeDevice } from '../commands.ts';
import { deviceName, deviceRecord, deviceSecret, hashOfDeviceSecret, newDeviceSecret } from '../device.ts';
import { listDevices } from '../queries.ts';
import { requireOwnDevice } from './require-own-device.ts';

export const listGuestDevices = defineOperation({
  name: 'listGuestDevices',
  service: 'launcher',
  kind: 'read',
  summary: "List the guest's devices, oldest first",
  auth: 'player',
  input: z.object({}),
  output: z.object({ success, devices: z.array(deviceRecord) }),
  async handler({ caller }, { db }: { db: Store }) {
    requireOwnDevice(caller);
    return { success: true, devices: await db.read(listDevices, caller.wallet) };
  },
});

export const addGuestDevice = defineOperation({
  name: 'addGuestDevice',
  service: 'launcher',
  kind: 'sign-in',
  summary: 'Add a device to the guest; returns its secret (shown once)',
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

export const removeGuestDevice = defineOperation({
  name: 'removeGuestDevice',
  service: 'launcher',
  kind: 'write',
  goesOnInMaintenance: true,
  summary: "Remove one of the guest's devices and end the guest's other sessions",
  auth: 'player',
  input: z.object({ deviceId: idInput }),
  output: z.object({ success }),
  async handler({ input, caller }, { db }: { db: Store }) {
    requireOwnDevice(caller);
    await db.write(removeDevice, caller.wallet, input.deviceId, caller.session.id);
    return { success: true };
  },
});
