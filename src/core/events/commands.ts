import { exclusiveCommand, type Steps } from '../storage/command.ts';
import { statement } from '../storage/query.ts';
import { events, type StreamRow, streams } from './tables.ts';

/** Maximum number of streams checked per call. */
const streamsPerCall = 20;

/**
 * Deletes events older than `maxAgeMs` from a limited number of streams; returns true when there may be more to delete.
 * The last event of a stream is kept regardless of age. Events beyond a stream's maximum count are deleted on writes.
 */
export const trimEvents = exclusiveCommand('trimEvents', function* (tx, maxAgeMs: number): Steps<boolean> {
  const tooOld = tx.now - maxAgeMs;
  const first = yield* tx.list<StreamRow>(streams.byTrim, [], { limit: streamsPerCall });
  const due = first.filter(({ trimAt }) => trimAt <= tx.now);
  for (const { name } of due) {
    const row = yield* tx.lock<StreamRow>(streams, name);
    if (!row || row.trimAt > tx.now) continue;
    const [kept] = yield* tx.rows(oldestKept, { stream: name, tooOld });
    const firstSeq = kept?.seq ?? row.seq;
    yield* tx.run(deleteBefore, { stream: name, firstSeq });
    const oldestAt = kept && firstSeq !== row.seq ? kept.at : tx.now;
    tx.put(streams, { ...row, firstSeq, trimAt: oldestAt + maxAgeMs });
  }
  return due.length === streamsPerCall;
});

const oldestKept = statement<{ stream: string; tooOld: number }, { seq: number; at: number }>(
  `SELECT seq, at FROM events WHERE stream_id = (SELECT id FROM streams WHERE name = @stream) AND at > @tooOld
    ORDER BY seq LIMIT 1`,
);
const deleteBefore = statement<{ stream: string; firstSeq: number }>(
  `DELETE FROM events WHERE stream_id = (SELECT id FROM streams WHERE name = @stream) AND seq < @firstSeq`,
  { changes: [events] },
);
