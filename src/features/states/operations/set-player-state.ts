import { z } from 'zod';
import { GantryError } from '../../../core/errors.ts';
import { addressInput } from '../../../core/schemas/address.ts';
import { operators } from '../../../core/schemas/admin-role.ts';
import { idInput } from '../../../core/schemas/ids.ts';
import { success } from '../../../core/schemas/outcome.ts';
import type { Store } from '../../../core/storage/store.ts';
import { requireGame } from '../../games/require-game.ts';
import { defineOperation } from '../../operation.ts';
import { findPlayer } from '../../players/queries.ts';
import { saveState } from '../commands.ts';
import { stateLabel, stateRecord } from '../state.ts';
import type { StateReader } from '../state-reader.ts';
import { canonicalInput, ifVersion, stateText } from './state-input.ts';
import { toStateRecord } from './to-state-record.ts';

export const setPlayerState = defineOperation({
  name: 'setPlayerState',
  service: 'admin',
  kind: 'write',
  summary: "Replace one state of a player's, or give the player one",
  auth: 'admin',
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
      throw new GantryError('player_unknown', 'There is no player with this wallet');
    const { json, ipfsHash } = await canonicalInput(state, 'state', states);
    const options = { ifVersion: version };
    const head = await db.write(saveState, owner, label, json, ipfsHash, storageQuota, options);
    return { success: true, newState: toStateRecord({ ...head, json }) };
  },
});
