import { z } from 'zod';
import { addressInput } from '../core/schemas/address.ts';
import { notServed } from '../core/schemas/not-served.ts';
import { memberPermissions, permission } from './message-channel.ts';

export const noGroups = 'channels have players only, no user groups';

/** A participant as basement.fun clients send it. */
export const newParticipant = z.object({
  wallet: addressInput,
  userGroup: notServed(noGroups),
  permissions: z
    .array(permission)
    .max(permission.options.length)
    .nullish()
    .transform((given) => given ?? memberPermissions),
});
