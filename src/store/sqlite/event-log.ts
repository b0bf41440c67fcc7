import type { Database } from 'better-sqlite3';
import type { NewEvent, StoredEvent } from '../../events/stream.ts';
import type { Retention } from '../store.ts';

/** The ordered logs of events, written in the transaction of the change that caused them. */
export class EventLog {
  /** Names this history; see the table `history`. */
  readonly epoch: string;
  readonly #retention: Retention;
  readonly #statements;

  constructor(db: Database, retention: Retention) {
    const epoch = db.prepare<[], string>('SELECT epoch FROM history').pluck().get();
    if (epoch === undefined) throw new Error('the database does not say which history it holds');
    this.epoch = epoch;
    this.#retention = retention;
    this.#statements = {
      advance: db.prepare<[string, string | null, number], { id: number; seq: number; first_seq: number }>(
        `INSERT INTO streams (name, wallet, seq, first_seq, trim_at) VALUES (?, ?, 1, 1, ?)
         ON CONFLICT (name) DO UPDATE SET seq = seq + 1 RETURNING id, seq, first_seq`,
      ),
      insert: db.prepare<[number, number, string, string, number]>(
        'INSERT INTO events (stream_id, seq, name, record, at) VALUES (?, ?, ?, ?, ?)',
      ),
      forgetUpTo: db.prepare<[number, number]>('DELETE FROM events WHERE stream_id = ? AND seq <= ?'),
      setFirst: db.prepare<[number, number]>('UPDATE streams SET first_seq = ? WHERE id = ?'),
      seq: db.prepare<[string], number>('SELECT seq FROM streams WHERE name = ?').pluck(),
      blank: db.prepare<[string, string, string]>(
        `UPDATE events SET record = json_set(record, ?, '')
         WHERE stream_id = (SELECT id FROM streams WHERE name = ?) AND seq IN (SELECT value FROM json_each(?))`,
      ),
    };
  }

  /** Inside a transaction: gives the event the next seq of its stream and writes it. */
  append(event: NewEvent, at: number): StoredEvent {
    const { audience } = event;
    const isPlayers = event.stream.startsWith('player:') && audience.kind === 'players';
    const wallet = (isPlayers && audience.wallets[0]) || null;
    const place = this.#statements.advance.get(event.stream, wallet, at + this.#retention.maximumAgeMs);
    if (!place) throw new Error('an upsert with RETURNING gave no row');
    const { lastInsertRowid } = this.#statements.insert.run(
      place.id,
      place.seq,
      event.name,
      JSON.stringify(event.record),
      at,
    );
    this.#keepWithinCount(place);
    return { ...event, epoch: this.epoch, seq: place.seq, position: Number(lastInsertRowid) };
  }

  /** Where a stream stands: the seq of its last event, 0 before the first. */
  seqOf(stream: string): number {
    return this.#statements.seq.get(stream) ?? 0;
  }

  /** Empties a text field in the records of some events of a stream, for good. The events keep their seq. */
  blankField(stream: string, seqs: readonly number[], field: string): void {
    this.#statements.blank.run(`$.${field}`, stream, JSON.stringify(seqs));
  }

  /** A full stream lets go of its oldest event for each new one, so no clean-up ever has much to do. */
  #keepWithinCount({ id, seq, first_seq: first }: { id: number; seq: number; first_seq: number }): void {
    const lastToForget = seq - this.#retention.maximumCount;
    if (lastToForget < first) return;
    this.#statements.forgetUpTo.run(id, lastToForget);
    this.#statements.setFirst.run(lastToForget + 1, id);
  }
}
