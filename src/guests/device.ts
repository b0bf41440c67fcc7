import { createHash, randomBytes } from 'node:crypto';
import { z } from 'zod';
import { id, timestamp } from '../core/schemas/ids.ts';
import { text } from '../core/schemas/text.ts';

/** The most devices of one guest. */
export const maxDevices = 10;

/** A device's secret: 256 random bits, which only the device keeps. */
export function newDeviceSecret(): string {
  return `gd_${randomBytes(32).toString('base64url')}`;
}

/** What is kept of a secret. Hex SHA-256: what is random needs nothing slower. */
export function hashOfDeviceSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

/** A device's secret in a request. Bounded only, so that a malformed one and an unknown one get the same answer. */
export const deviceSecretInput = z.string().min(1).max(200);

export const deviceSecret = z.string().meta({
  description: 'Shown this once. Anyone who has it is the player: keep it on the device, and nowhere else',
});

/** What the player calls the device. */
export const deviceName = text(0, 60)
  .default('')
  .meta({ description: 'What the player knows the device by' });

export const deviceRecord = z
  .object({ deviceId: id, name: z.string(), createdAt: timestamp, lastUsedAt: timestamp })
  .meta({ id: 'GuestDevice' });
export type DeviceRecord = z.infer<typeof deviceRecord>;

/** A device to be: the secret's hash only. */
export interface NewDevice {
  secretHash: string;
  name: string;
}
