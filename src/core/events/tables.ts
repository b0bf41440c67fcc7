import { type RowOf, table } from '../storage/table.ts';

/**
 * The ordered logs of events. `wallet` is set for a player's streams, all of which a launcher's own session receives.
 * `firstSeq` is the oldest retained event; `trimAt` is when the stream may contain events past the retention age.
 */
const streamColumns = { name: 'text', wallet: 'text?', seq: 'int', firstSeq: 'int', trimAt: 'ms' } as const;
export const streams = table('streams', streamColumns, {
  key: ['name'],
  indexes: { byTrim: { on: ['trimAt'] }, byWallet: { on: ['wallet'] } },
  cachedByWriter: true,
});
export type StreamRow = RowOf<typeof streamColumns>;

/** All retained events. Written by `Tx.emit`; commands may redact an event's text (`redactEvents`). */
export const events = table(
  'events',
  { stream: 'stream', seq: 'int', name: 'text', record: 'json', at: 'ms' },
  { key: ['stream', 'seq'] },
);
