import { z } from 'zod';
import { streamOf } from '../../../core/events/stream.ts';
import { id } from '../../../core/schemas/ids.ts';
import { success } from '../../../core/schemas/outcome.ts';
import { defineOperation } from '../../operation.ts';
import { defineOtherForm } from '../../other-form.ts';
import type { Connection } from '../connection.ts';
import { requireConnection } from './followable-game.ts';
import { channelNames } from './stream-names.ts';

export const getSubscribedChannels = defineOperation({
  name: 'getSubscribedChannels',
  service: 'realtime-events',
  kind: 'read',
  summary: 'List the public streams this connection is subscribed to',
  auth: 'player',
  input: z.object({}),
  otherForm: defineOtherForm({
    auth: 'player',
    isUsed: ({ asNames }) => asNames === true,
    input: z.object({
      asNames: z
        .literal(true)
        .meta({ description: 'Implied when the data is null on a socket, as basement.fun sends it' }),
    }),
    output: channelNames,
    async handler(_request, { connection }: { connection?: Connection | undefined }) {
      return requireConnection(connection).followed().map(streamOf.game);
    },
  }),
  output: z.object({ success, channels: z.array(z.object({ gameId: id, stream: z.string() })) }),
  async handler(_request, { connection }: { connection?: Connection | undefined }) {
    const gameIds = requireConnection(connection).followed();
    return { success: true, channels: gameIds.map((gameId) => ({ gameId, stream: streamOf.game(gameId) })) };
  },
});
