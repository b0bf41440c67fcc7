import { z } from 'zod';
import { everyRole, operators } from '../../../core/schemas/admin-role.ts';
import { addressInput, idInput, success } from '../../../core/schemas/fields.ts';
import { pagedOutput, pageOf, paging } from '../../../core/schemas/paging.ts';
import type { Store } from '../../../core/storage/store.ts';
import { requireGame } from '../../games/require-game.ts';
import { defineAdminOperation } from '../../operation.ts';
import { unknownPlayer } from '../../players/guests.ts';
import { findGuest, findPlayer } from '../../players/queries.ts';
import { saveState } from '../commands.ts';
import { listGameStates, listPlayerStates } from '../queries.ts';
import { stateHead, stateLabel, stateRecord } from '../state.ts';
import type { StateReader } from '../state-reader.ts';
import { canonicalInput, ifVersion, stateText, toStateRecord } from './state-fields.ts';

export const listStates = defineAdminOperation({
  name: 'listStates',
  kind: 'read',
  summary: "List players' states in a game without their content, ordered by wallet and label",
  roles: everyRole,
  input: z.object({ gameId: idInput, wallet: addressInput.optional(), ...paging }),
  output: pagedOutput(
    stateHead
      .extend({ bytes: z.int().meta({ description: 'Size of the canonical JSON in UTF-8' }) })
      .meta({ id: 'StateSummary' }),
  ),
  async handler({ input: { gameId, wallet, limit, skip } }, { db }: { db: Store }) {
    await requireGame(db, gameId);
    return pageOf({ limit, skip }, await db.read(listGameStates, { gameId, wallet }, { limit, skip }));
  },
});

export const getPlayerState = defineAdminOperation({
  name: 'getPlayerState',
  kind: 'read',
  summary: "Read a player's state under a label; null if there is none",
  roles: everyRole,
  input: z.object({ gameId: idInput, wallet: addressInput, label: stateLabel }),
  output: z.object({ success, state: stateRecord.nullable() }),
  async handler({ input: { label, ...owner } }, { db }: { db: Store }) {
    await requireGame(db, owner.gameId);
    const [stored] = await db.read(listPlayerStates, owner, { limit: 1, skip: 0 }, label);
    return { success: true, state: stored ? toStateRecord(stored) : null };
  },
});

export const setPlayerState = defineAdminOperation({
  name: 'setPlayerState',
  kind: 'write',
  summary: 'Store a state of a player under a label, replacing the previous one',
  roles: operators,
  input: z.object({
    gameId: idInput,
    wallet: addressInput,
    label: stateLabel,
    state: stateText,
    ifVersion,
  }),
  output: z.object({ success, newState: stateRecord }),
  // States are large, and their content must not stay in the audit log after the player is erased.
  auditInput: ({ state, ...input }) => ({ ...input, bytes: Buffer.byteLength(String(state)) }),
  async handler(
    { input: { label, state, ifVersion: version, ...owner } },
    { db, states, storageQuota }: { db: Store; states: StateReader; storageQuota: number },
  ) {
    await requireGame(db, owner.gameId);
    if ((await db.read(findPlayer, owner.wallet)) === null)
      throw unknownPlayer(await db.read(findGuest, owner.wallet));
    const { json, ipfsHash } = await canonicalInput(state, 'state', states);
    const options = { ifVersion: version };
    const head = await db.write(saveState, owner, label, json, ipfsHash, storageQuota, options);
    return { success: true, newState: toStateRecord({ ...head, json }) };
  },
});
