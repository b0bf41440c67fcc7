import { z } from 'zod';
import { addressInput } from '../../domain/address.ts';
import { idInput } from '../../domain/ids.ts';
import { success } from '../../domain/outcome.ts';
import { stateLabel, stateRecord } from '../../domain/state.ts';
import { defineOperation } from '../define.ts';
import { requireGame } from '../require-game.ts';
import { toStateRecord } from '../states/to-state-record.ts';

export const getPlayerState = defineOperation({
  name: 'getPlayerState',
  service: 'admin',
  kind: 'read',
  summary: "Read one state of a player's; null when there is none under the label",
  auth: 'admin',
  input: z.object({ gameId: idInput, wallet: addressInput, label: stateLabel }),
  output: z.object({ success, state: stateRecord.nullable() }),
  async handler({ input: { label, ...owner } }, { store }) {
    await requireGame(store, owner.gameId);
    const [kept] = await store.states.list(owner, { limit: 1, skip: 0 }, label);
    return { success: true, state: kept ? toStateRecord(kept) : null };
  },
});
