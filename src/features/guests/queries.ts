import { query, type ReadSteps } from '../../core/storage/query.ts';
import { guestDevices } from '../players/tables.ts';
import { type DeviceRecord, maxDevices } from './device.ts';

/** A guest's devices, oldest first. */
export const listDevices = query('listDevices', function* (read, wallet: string): ReadSteps<DeviceRecord[]> {
  const rows = yield* read.list(guestDevices.byWallet, [wallet], { limit: maxDevices });
  return rows.map(({ id, name, createdAt, lastUsedAt }) => ({ deviceId: id, name, createdAt, lastUsedAt }));
});

/** The id of the device with this secret, by the secret's hash; null when there is none. */
export const findDevice = query('findDevice', function* (read, secretHash: string): ReadSteps<string | null> {
  return (yield* read.get(guestDevices.bySecret, secretHash))?.id ?? null;
});
