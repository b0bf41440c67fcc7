import { z } from 'zod';
import { GantryError } from '../../../core/errors.ts';
import { streamOf } from '../../../core/events/stream.ts';
import { id, idInput, success } from '../../../core/schemas/fields.ts';
import type { Store } from '../../../core/storage/store.ts';
import { gameInput, gameNamedBy, requireNamedGame } from '../../games/require-game.ts';
import { defineOperation, defineOtherForm } from '../../operation.ts';
import { gameStats } from '../../playtime/events.ts';
import { leaderboardRow } from '../../scores/score.ts';
import { type Connection, maxFollowed } from '../connection.ts';

/** The names of public streams, `game:<id>`, as basement.fun's clients receive them: a list of channels. */
const channelNames = z.array(z.string());

/** The subscription request of those clients; their channel `tournaments` is not supported. */
const gameStatsChannel = z.object({
  channel: z.literal('game-stats', 'must be game-stats: tournaments are not supported'),
  gameIds: z.array(idInput).min(1).max(maxFollowed),
  filter: z.literal('all').nullish(),
});

/** Channels by their names as received, or by the ids of their games. */
const namedChannels = z.object({
  channels: z.array(idInput.transform((name) => name.replace(/^game:/, ''))).max(maxFollowed),
});

/** @throws GantryError `socket_required` when the call came over HTTP */
function requireConnection(connection: Connection | undefined): Connection {
  if (connection) return connection;
  throw new GantryError('socket_required', 'This operation requires a socket connection');
}

export const subscribe = defineOperation({
  name: 'subscribe',
  service: 'realtime-events',
  kind: 'read',
  summary: "Subscribe this connection to a game's public stream of activities and leaderboard changes",
  auth: 'player',
  input: z.object({
    gameId: gameInput
      .optional()
      .meta({ description: "Id or slug; default: the token's game; other games require a launcher's token" }),
  }),
  otherForm: defineOtherForm({
    auth: 'player',
    isUsed: ({ channel }) => channel !== undefined,
    input: gameStatsChannel,
    output: z.object({ channels: channelNames }),
    cost: { text: 'one read for every game of `gameIds`', of: ({ gameIds }) => gameIds.length },
    async handler({ input, caller }, { db, connection }: { db: Store; connection?: Connection | undefined }) {
      const gameIds: string[] = [];
      for (const gameId of input.gameIds) gameIds.push((await gameNamedBy(db, caller.game, gameId)).id);
      const channels: string[] = [];
      for (const gameId of gameIds)
        channels.push((await requireConnection(connection).follow(gameId)).stream);
      requireConnection(connection).followGameStatsAs({ channel: 'game-stats', gameIds, filter: 'all' });
      return { channels };
    },
  }),
  output: z.object({
    success,
    stream: z.string(),
    epoch: z.string(),
    seq: z.int(),
    leaderboard: z
      .array(leaderboardRow)
      .meta({ description: 'The current top rows; `leaderboards patched` events update them' }),
  }),
  async handler({ input, caller }, { db, connection }: { db: Store; connection?: Connection | undefined }) {
    const { id: gameId } = await gameNamedBy(db, caller.game, input.gameId);
    const { stream, cursor, leaderboard } = await requireConnection(connection).follow(gameId);
    return { success: true, stream, ...cursor, leaderboard };
  },
});

export const followGameStats = defineOperation({
  name: 'followGameStats',
  service: 'realtime-events',
  kind: 'read',
  summary: 'Subscribe this connection to the player counts of games, replacing earlier subscriptions',
  auth: 'public',
  input: z.object({
    gameIds: z.array(gameInput).max(maxFollowed).meta({ description: 'Ids or slugs; empty: stop following' }),
  }),
  cost: { text: 'one read for every 10 games of `gameIds`', of: ({ gameIds }) => gameIds.length / 10 },
  output: z.object({
    success,
    games: z
      .array(gameStats)
      .meta({ description: 'The current numbers; `game-stats patched` signals update them' }),
  }),
  async handler({ input }, { db, connection }: { db: Store; connection?: Connection | undefined }) {
    const own = requireConnection(connection);
    const games = await Promise.all(input.gameIds.map((name) => requireNamedGame(db, name)));
    return { success: true, games: own.followGameStats([...new Set(games.map((game) => game.id))]) };
  },
});

export const unsubscribe = defineOperation({
  name: 'unsubscribe',
  service: 'realtime-events',
  kind: 'read',
  summary: "Unsubscribe this connection from a game's public stream",
  auth: 'player',
  input: z.object({ gameId: gameInput.optional() }),
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
    const { id: gameId } = await gameNamedBy(db, caller.game, input.gameId);
    requireConnection(connection).unfollow(gameId);
    return { success: true, stream: streamOf.game(gameId) };
  },
});

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
      asNames: z.literal(true).meta({
        description: 'Default when the data of a socket call is null, as basement.fun clients send it',
      }),
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
