import { createHash, randomBytes } from 'node:crypto';
import { z } from 'zod';
import { GantryError } from '../../core/errors.ts';
import { id, timestamp } from '../../core/schemas/fields.ts';
import { cleanedNameText } from '../../core/schemas/names.ts';
import { notSeen } from '../../core/schemas/seen-text.ts';

/** Maximum devices per guest. */
export const maxDevices = 10;

/** Generates a device's secret: 256 random bits, which only the device stores. */
export function newDeviceSecret(): string {
  return `gd_${randomBytes(32).toString('base64url')}`;
}

/** The stored form of a secret: hex SHA-256. A random secret needs no slow password hash. */
export function hashOfDeviceSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

/**
 * A device's secret in a request. Only its length is checked, so that malformed and unknown ones get the same response.
 */
export const deviceSecretInput = notSeen(z.string().min(1).max(200), 'secret');

export const deviceSecret = z.string().meta({
  description: 'Shown once. Anyone who has it can sign in as the guest: store it only on the device',
});

/** The player's name for the device, or the device's own. */
export const deviceName = notSeen(cleanedNameText(0, 60), 'own')
  .default('')
  .meta({ description: 'Name of the device' });

export const deviceRecord = z
  .object({ deviceId: id, name: z.string(), createdAt: timestamp, lastUsedAt: timestamp })
  .meta({ id: 'GuestDevice' });
export type DeviceRecord = z.infer<typeof deviceRecord>;

/** The refusal of a wrong secret. */
export function unknownDevice(): GantryError {
  return new GantryError(
    'device_unknown',
    'There is no device with this deviceSecret: the device or its player was removed',
  );
}

/** A device to create, with the secret's hash only. */
export interface NewDevice {
  secretHash: string;
  name: string;
}
