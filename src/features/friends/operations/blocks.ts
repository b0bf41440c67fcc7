import { z } from 'zod';
import { invalidField } from '../../../core/errors.ts';
import { addressInput, success } from '../../../core/schemas/fields.ts';
import { pagedOutput, pageOf, pagingOf } from '../../../core/schemas/paging.ts';
import type { Store } from '../../../core/storage/store.ts';
import { type Blocker, blockedPlayer } from '../../messages/blocks/block.ts';
import { block, unblock } from '../../messages/blocks/commands.ts';
import { listBlocked } from '../../messages/blocks/queries.ts';
import { defineOperation, ownerOf, type PlayerCaller } from '../../operation.ts';
import { pageCost } from '../../operation-cost.ts';
import { blockEverywhere } from '../commands.ts';

export const listBlockedPlayers = defineOperation({
  name: 'listBlockedPlayers',
  service: 'launcher',
  kind: 'read',
  summary:
    'List the players that the player has blocked in this game or in every game, most recently blocked first',
  auth: 'player-or-server',
  input: z.object(pagingOf()),
  cost: pageCost(50),
  output: pagedOutput(blockedPlayer),
  async handler({ input, caller }, { db }: { db: Store }) {
    return pageOf(input, await db.read(listBlocked, blockerOf(caller), input));
  },
});

export const blockPlayer = defineOperation({
  name: 'blockPlayer',
  service: 'launcher',
  kind: 'write',
  isRepeatable: true,
  summary:
    "Block another player in this game, or in every game with a launcher's session, and hide their messages (the blocked player is not notified)",
  auth: 'player',
  input: z.object({ wallet: addressInput }),
  output: z.object({ success }),
  async handler({ input: { wallet }, caller }, { db }: { db: Store }) {
    if (wallet === caller.wallet) {
      throw invalidField('wallet', 'must be the wallet of another player');
    }
    const blocker = blockerOf(caller);
    await db.write(blocker.everywhere ? blockEverywhere : block, blocker, wallet);
    return { success: true };
  },
});

export const unblockPlayer = defineOperation({
  name: 'unblockPlayer',
  service: 'launcher',
  kind: 'write',
  summary:
    "Unblock a player in this game, or everywhere with a launcher's session, and show their messages again, including those sent while blocked",
  auth: 'player',
  input: z.object({ wallet: addressInput }),
  output: z.object({ success }),
  async handler({ input, caller }, { db }: { db: Store }) {
    await db.write(unblock, blockerOf(caller), input.wallet);
    return { success: true };
  },
});

/** Blocks of a launcher's own session hold in every game. */
function blockerOf(caller: PlayerCaller): Blocker {
  return { ...ownerOf(caller), everywhere: caller.game.kind === 'launcher' };
}
