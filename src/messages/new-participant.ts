import { z } from 'zod';
import { addressInput } from '../core/schemas/address.ts';
import { notServed } from '../core/schemas/not-served.ts';
import { memberPermissions, permission } from './message-channel.ts';

export const noGroups = 'channels here have players only, no user groups';

/** A participant as clients of basement.fun name one. */
export const newParticipant = z.object({
  wallet: addressInput,
  userGroup: notServed(noGroups),
  permissions: z
    .array(permission)
    .max(permission.options.length)
    .nullish()
    .transform((given) => given ?? memberPermissions),
});
