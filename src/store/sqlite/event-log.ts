import type { Database } from 'better-sqlite3';
import { newId } from '../../domain/ids.ts';
import type { NewEvent, StoredEvent } from '../../events/stream.ts';

/** The ordered logs of events, written in the transaction of the change that caused them. */
export class EventLog {
  readonly #advance;
  readonly #insert;
  readonly #seq;
  readonly #blank;

  constructor(db: Database) {
    this.#advance = db.prepare<[string, string], { id: number; epoch: string; seq: number }>(
      `INSERT INTO streams (name, epoch, seq) VALUES (?, ?, 1)
       ON CONFLICT (name) DO UPDATE SET seq = seq + 1 RETURNING id, epoch, seq`,
    );
    this.#insert = db.prepare<[number, number, string, string, number]>(
      'INSERT INTO events (stream_id, seq, name, record, at) VALUES (?, ?, ?, ?, ?)',
    );
    this.#seq = db.prepare<[string], { seq: number }>('SELECT seq FROM streams WHERE name = ?');
    this.#blank = db.prepare<[string, string, string]>(
      `UPDATE events SET record = json_set(record, ?, '')
       WHERE stream_id = (SELECT id FROM streams WHERE name = ?) AND seq IN (SELECT value FROM json_each(?))`,
    );
  }

  /** Inside a transaction: gives the event the next seq of its stream and writes it. */
  append(event: NewEvent, at: number): StoredEvent {
    const place = this.#advance.get(event.stream, newId());
    if (!place) throw new Error('an upsert with RETURNING gave no row');
    this.#insert.run(place.id, place.seq, event.name, JSON.stringify(event.record), at);
    return { ...event, epoch: place.epoch, seq: place.seq };
  }

  /** Where a stream stands: the seq of its last event, 0 before the first. */
  seqOf(stream: string): number {
    return this.#seq.get(stream)?.seq ?? 0;
  }

  /** Empties a text field in the records of some events of a stream, for good. The events keep their seq. */
  blankField(stream: string, seqs: readonly number[], field: string): void {
    this.#blank.run(`$.${field}`, stream, JSON.stringify(seqs));
  }
}
