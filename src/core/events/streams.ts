import { type RowOf, table } from '../storage/table.ts';

/**
 * The ordered logs of events. `wallet` is set for a player's streams, which a launcher's own session hears all of.
 * `firstSeq` is the oldest event kept; `trimAt`, when the stream may hold something too old to keep.
 */
const columns = { name: 'text', wallet: 'text?', seq: 'int', firstSeq: 'int', trimAt: 'ms' } as const;
export const streams = table('streams', columns, {
  key: ['name'],
  indexes: { byTrim: { on: ['trimAt'] } },
  kept: true,
});
export type StreamRow = RowOf<typeof columns>;
