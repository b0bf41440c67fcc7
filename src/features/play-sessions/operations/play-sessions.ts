import { z } from 'zod';
import { everyRole } from '../../../core/schemas/admin-role.ts';
import { addressInput, idInput, success } from '../../../core/schemas/fields.ts';
import { pagedOutput, pageOf, paging } from '../../../core/schemas/paging.ts';
import { notSeen } from '../../../core/schemas/seen-text.ts';
import type { Store } from '../../../core/storage/store.ts';
import { requireGame } from '../../games/require-game.ts';
import { defineAdminOperation, defineOperation, ownerOf } from '../../operation.ts';
import { canonicalState, parseState } from '../../states/state.ts';
import { trackPlaySession } from '../commands.ts';
import { playSessionSummary } from '../play-session.ts';
import { findPlaySession, listGamePlaySessions } from '../queries.ts';

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
  summary: "Start, update or (with endTime) end one of the player's play sessions",
  auth: 'player-or-server',
  input: z.object({
    sessionId,
    state: notSeen(stateText.meta({ description: 'JSON text of at most 1,048,576 bytes (UTF-8)' }), 'staff'),
    endTime,
  }),
  dispatchInput: z.object({ sessionId, state: notSeen(stateOrText, 'staff'), endTime }),
  output: z.object({ success }),
  async handler({ input, caller }, { db, storageQuota }: { db: Store; storageQuota: number }) {
    await db.write(trackPlaySession, ownerOf(caller), input, storageQuota);
    return { success: true };
  },
});

export const listPlaySessions = defineAdminOperation({
  name: 'listPlaySessions',
  kind: 'read',
  summary: "List a game's play sessions without their states, most recently started first",
  roles: everyRole,
  input: z.object({ gameId: idInput, wallet: addressInput.optional(), ...paging }),
  output: pagedOutput(playSessionSummary),
  async handler({ input: { gameId, wallet, limit, skip } }, { db }: { db: Store }) {
    await requireGame(db, gameId);
    return pageOf({ limit, skip }, await db.read(listGamePlaySessions, { gameId, wallet }, { limit, skip }));
  },
});

export const getPlaySession = defineAdminOperation({
  name: 'getPlaySession',
  kind: 'read',
  summary: 'Get a play session with its state, or null if there is none',
  roles: everyRole,
  input: z.object({ sessionId: idInput }),
  output: z.object({
    success,
    playSession: playSessionSummary
      .extend({ state: z.string().meta({ description: 'JSON text as sent by the game' }) })
      .nullable(),
  }),
  async handler({ input }, { db }: { db: Store }) {
    return { success: true, playSession: await db.read(findPlaySession, input.sessionId) };
  },
});
