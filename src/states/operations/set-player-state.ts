import { z } from 'zod';
import { addressInput } from '../../core/schemas/address.ts';
import { idInput } from '../../core/schemas/ids.ts';
import { success } from '../../core/schemas/outcome.ts';
import type { Database } from '../../core/storage/database.ts';
import { GantryError } from '../../errors.ts';
import { requireGame } from '../../games/require-game.ts';
import { defineOperation } from '../../operations/define.ts';
import { findPlayer } from '../../players/queries.ts';
import { saveState } from '../commands.ts';
import { stateLabel, stateRecord } from '../state.ts';
import type { StateReader } from '../state-reader.ts';
import { toStateRecord } from './to-state-record.ts';

export const setPlayerState = defineOperation({
  name: 'setPlayerState',
  service: 'admin',
  kind: 'write',
  summary: "Replace one state of a player's, or give the player one",
  auth: 'admin',
  input: z.object({
    gameId: idInput,
    wallet: addressInput,
    label: stateLabel,
    state: z
      .string('must be a string that contains JSON')
      .meta({ description: 'JSON as text, at most 1,048,576 bytes of UTF-8' }),
  }),
  output: z.object({ success, newState: stateRecord }),
  // A state is large, and what a player is erased with must not stay in the log.
  auditInput: ({ state, ...input }) => ({ ...input, bytes: Buffer.byteLength(state) }),
  async handler(
    { input: { label, state, ...owner } },
    { db, states, storageQuota }: { db: Database; states: StateReader; storageQuota: number },
  ) {
    await requireGame(db, owner.gameId);
    if ((await db.read(findPlayer, owner.wallet)) === null)
      throw new GantryError('player_unknown', 'There is no player with this wallet');
    const { json, ipfsHash } = await states.read(state);
    const kept = await db.write(saveState, owner, label, json, ipfsHash, storageQuota);
    return { success: true, newState: toStateRecord({ ...kept, json }) };
  },
});
