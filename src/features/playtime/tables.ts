import { type RowOf, table } from '../../core/storage/table.ts';

const playtimeColumns = {
  wallet: 'text',
  gameId: 'uuid',
  /** How long the player has played, in milliseconds, without what is still open. */
  ms: 'int',
  sessions: 'int',
  firstAt: 'ms',
  /** When the latest session began, and ended. */
  startedAt: 'ms',
  lastAt: 'ms',
} as const;

export const playtime = table('playtime', playtimeColumns, {
  key: ['wallet', 'gameId'],
  indexes: { byGame: { on: ['gameId', 'wallet'] } },
  of: { player: 'wallet', game: 'gameId' },
});
export type PlaytimeRow = RowOf<typeof playtimeColumns>;

const openPlayColumns = {
  wallet: 'text',
  gameId: 'uuid',
  /** The node that says so; it ends with that node's lease. */
  nodeId: 'uuid',
  startedAt: 'ms',
  /** The same by the node's own clock (`PlayNodeRow.upMs`). */
  startedUp: 'int',
} as const;

/** The game that a player has open: one at a time, however many devices and nodes. */
export const openPlays = table('open_plays', openPlayColumns, {
  key: ['wallet'],
  indexes: { byNode: { on: ['nodeId', 'wallet'] }, byGame: { on: ['gameId', 'wallet'] } },
  of: { player: 'wallet', game: 'gameId', stays: 'it is being played on this server' },
});
export type OpenPlayRow = RowOf<typeof openPlayColumns>;

const playNodeColumns = {
  nodeId: 'uuid',
  /** How long the node has run, by its own clock, which is never set; when it said so, by the database's clock. */
  upMs: 'int',
  beatAt: 'ms',
} as const;

/** The nodes that players play on: one row is written every few seconds, instead of one for each player. */
export const playNodes = table('play_nodes', playNodeColumns, { key: ['nodeId'] });
export type PlayNodeRow = RowOf<typeof playNodeColumns>;
