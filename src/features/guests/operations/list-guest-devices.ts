import { z } from 'zod';
import { success } from '../../../core/schemas/outcome.ts';
import type { Store } from '../../../core/storage/store.ts';
import { defineOperation } from '../../operation.ts';
import { deviceRecord } from '../device.ts';
import { listDevices } from '../queries.ts';
import { requireOwnDevice } from './require-own-device.ts';

export const listGuestDevices = defineOperation({
  name: 'listGuestDevices',
  service: 'launcher',
  kind: 'read',
  summary: 'List the devices that sign in as this player without a wallet, oldest first',
  auth: 'player',
  input: z.object({}),
  output: z.object({ success, devices: z.array(deviceRecord) }),
  async handler({ caller }, { db }: { db: Store }) {
    requireOwnDevice(caller);
    return { success: true, devices: await db.read(listDevices, caller.wallet) };
  },
});
