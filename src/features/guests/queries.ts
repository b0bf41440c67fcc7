import { query, type ReadSteps } from '../../core/storage/query.ts';
import { guestDevices } from '../players/tables.ts';
import { type DeviceRecord, maxDevices } from './device.ts';

/** A guest's devices, oldest first. */
export const listDevices = query('listDevices', function* (read, wallet: string): ReadSteps<DeviceRecord[]> {
  const rows = yield* read.list(guestDevices.byWallet, [wallet], { limit: maxDevices });
  return rows.map(({ id, name, createdAt, lastUsedAt }) => ({ deviceId: id, name, createdAt, lastUsedAt }));
});
