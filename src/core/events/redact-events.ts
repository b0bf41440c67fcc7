import { z } from 'zod';
import type { Steps, Tx } from '../storage/command.ts';
import { events } from './tables.ts';

const storedRecord = z.record(z.string(), z.unknown());

/**
 * Permanently empties a text field in the records of some events of a stream. The events keep their seq, so cursors
 * stay valid; events already deleted are skipped. The stream must be locked; to erase the text from the disk too, the
 * command calls `tx.scrub()`.
 */
export function* redactEvents(tx: Tx, stream: string, seqs: readonly number[], field: string): Steps<void> {
  const found = yield* tx.all(...seqs.map((seq) => tx.get(events, stream, seq)));
  for (const row of found) {
    if (!row) continue;
    const record = storedRecord.parse(JSON.parse(row.record));
    tx.put(events, { ...row, record: JSON.stringify({ ...record, [field]: '' }) });
  }
}
