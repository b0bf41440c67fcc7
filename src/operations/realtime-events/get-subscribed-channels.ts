import { z } from 'zod';
import { id } from '../../domain/ids.ts';
import { success } from '../../domain/outcome.ts';
import { streamOf } from '../../events/stream.ts';
import { defineOperation } from '../define.ts';
import { requireConnection } from './followable-game.ts';

export const getSubscribedChannels = defineOperation({
  name: 'getSubscribedChannels',
  service: 'realtime-events',
  kind: 'read',
  summary: 'List the public streams this connection hears',
  auth: 'player',
  input: z.object({}),
  output: z.object({ success, channels: z.array(z.object({ gameId: id, stream: z.string() })) }),
  async handler({ connection }) {
    const gameIds = requireConnection(connection).followed();
    return { success: true, channels: gameIds.map((gameId) => ({ gameId, stream: streamOf.game(gameId) })) };
  },
});
