import { z } from 'zod';
import type { Steps, Tx } from '../storage/command.ts';
import { events } from './events.ts';

const storedRecord = z.record(z.string(), z.unknown());

/**
 * Empties a text field in the records of some events of a stream, for good. The events keep their seq, so cursors go on
 * fitting; those that are no longer kept are passed over. The stream must have been locked; to have the text gone from
 * the disk too, the command calls `tx.scrub()`.
 */
export function* blankEvents(tx: Tx, stream: string, seqs: readonly number[], field: string): Steps<void> {
  const found = yield* tx.all(...seqs.map((seq) => tx.get(events, stream, seq)));
  for (const row of found) {
    if (!row) continue;
    const record = storedRecord.parse(JSON.parse(row.record));
    tx.put(events, { ...row, record: JSON.stringify({ ...record, [field]: '' }) });
  }
}
