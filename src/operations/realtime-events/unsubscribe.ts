import { z } from 'zod';
import { idInput } from '../../domain/ids.ts';
import { success } from '../../domain/outcome.ts';
import { streamOf } from '../../events/stream.ts';
import { defineOperation } from '../define.ts';
import { followableGame, requireConnection } from './followable-game.ts';

export const unsubscribe = defineOperation({
  name: 'unsubscribe',
  service: 'realtime-events',
  kind: 'read',
  summary: "Hear a game's public stream no longer on this connection",
  auth: 'player',
  input: z.object({ gameId: idInput.optional() }),
  output: z.object({ success, stream: z.string() }),
  async handler({ input, caller, connection }, { store }) {
    const gameId = await followableGame(store, caller, input.gameId);
    requireConnection(connection).unfollow(gameId);
    return { success: true, stream: streamOf.game(gameId) };
  },
});
