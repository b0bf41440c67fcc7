import { z } from 'zod';
import { addressInput } from '../../../core/schemas/address.ts';
import { everyRole } from '../../../core/schemas/admin-role.ts';
import { idInput } from '../../../core/schemas/ids.ts';
import { success } from '../../../core/schemas/outcome.ts';
import type { Store } from '../../../core/storage/store.ts';
import { requireGame } from '../../games/require-game.ts';
import { defineOperation } from '../../operation.ts';
import { listPlayerStates } from '../queries.ts';
import { stateLabel, stateRecord } from '../state.ts';
import { toStateRecord } from './to-state-record.ts';

export const getPlayerState = defineOperation({
  name: 'getPlayerState',
  service: 'admin',
  kind: 'read',
  summary: "Read one state of a player's; null when there is none under the label",
  auth: 'admin',
  roles: everyRole,
  input: z.object({ gameId: idInput, wallet: addressInput, label: stateLabel }),
  output: z.object({ success, state: stateRecord.nullable() }),
  async handler({ input: { label, ...owner } }, { db }: { db: Store }) {
    await requireGame(db, owner.gameId);
    const [stored] = await db.read(listPlayerStates, owner, { limit: 1, skip: 0 }, label);
    return { success: true, state: stored ? toStateRecord(stored) : null };
  },
});
