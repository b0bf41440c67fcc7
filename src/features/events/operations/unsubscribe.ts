import { z } from 'zod';
import { streamOf } from '../../../core/events/stream.ts';
import { idInput } from '../../../core/schemas/ids.ts';
import { success } from '../../../core/schemas/outcome.ts';
import type { Store } from '../../../core/storage/store.ts';
import { defineOperation } from '../../operation.ts';
import { defineOtherForm } from '../../other-form.ts';
import type { Connection } from '../connection.ts';
import { followableGame, requireConnection } from './followable-game.ts';
import { namedChannels } from './stream-names.ts';

export const unsubscribe = defineOperation({
  name: 'unsubscribe',
  service: 'realtime-events',
  kind: 'read',
  summary: "Unsubscribe this connection from a game's public stream",
  auth: 'player',
  input: z.object({ gameId: idInput.optional() }),
  otherForm: defineOtherForm({
    auth: 'player',
    isUsed: ({ channels }) => channels !== undefined,
    input: namedChannels,
    output: z.null(),
    async handler({ input }, { connection }: { connection?: Connection | undefined }) {
      for (const gameId of input.channels) requireConnection(connection).unfollow(gameId);
      return null;
    },
  }),
  output: z.object({ success, stream: z.string() }),
  async handler({ input, caller }, { db, connection }: { db: Store; connection?: Connection | undefined }) {
    const gameId = await followableGame(db, caller, input.gameId);
    requireConnection(connection).unfollow(gameId);
    return { success: true, stream: streamOf.game(gameId) };
  },
});
