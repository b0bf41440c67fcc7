import { z } from 'zod';
import { success } from '../../../core/schemas/outcome.ts';
import { notSeen } from '../../../core/schemas/seen-text.ts';
import type { Store } from '../../../core/storage/store.ts';
import { defineOperation } from '../../operation.ts';
import { ownerOf } from '../../owner.ts';
import { canonicalState, parseState } from '../../states/state.ts';
import { trackPlaySession } from '../commands.ts';

const stateText = z.string('must be a string that contains JSON').refine((json) => {
  parseState(json); // throws a descriptive error
  return true;
});

/** With method dispatch, a value that is not a string is the state itself, so it needs no escaping as JSON text. */
const stateOrText = z.unknown().transform((state, context): string => {
  if (state === undefined) context.issues.push({ code: 'custom', message: 'is required', input: state });
  if (typeof state !== 'string') return canonicalState(state ?? null).json;
  parseState(state);
  return state;
});

const sessionId = notSeen(
  z.guid('must be a UUID').transform((uuid) => uuid.toLowerCase()),
  'id',
);
/** Clients in typed languages send 0 for an omitted value. */
const endTime = z
  .int('must be Unix time in milliseconds')
  .min(0)
  .optional()
  .transform((sent) => sent || undefined);

export const trackGameSessions = defineOperation({
  name: 'trackGameSessions',
  service: 'launcher',
  kind: 'write',
  summary: 'Start, update or (with endTime) end a play session of the player',
  auth: 'player-or-server',
  input: z.object({
    sessionId,
    state: notSeen(
      stateText.meta({ description: 'JSON as text, at most 1,048,576 bytes of UTF-8' }),
      'staff',
    ),
    endTime,
  }),
  dispatchInput: z.object({ sessionId, state: notSeen(stateOrText, 'staff'), endTime }),
  output: z.object({ success }),
  async handler({ input, caller }, { db, storageQuota }: { db: Store; storageQuota: number }) {
    await db.write(trackPlaySession, ownerOf(caller), input, storageQuota);
    return { success: true };
  },
});
