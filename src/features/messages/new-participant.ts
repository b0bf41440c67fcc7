import { z } from 'zod';
import { addressInput } from '../../core/schemas/fields.ts';
import { unsupportedField } from '../../core/schemas/unsupported-field.ts';
import { memberPermissions, permission } from './message-channel.ts';

export const noGroups = 'user groups are not supported';

/** A participant as basement.fun clients send it. */
export const newParticipant = z.object({
  wallet: addressInput,
  userGroup: unsupportedField(noGroups),
  permissions: z
    .array(permission)
    .max(permission.options.length)
    .nullish()
    .transform((given) => given ?? memberPermissions),
});
