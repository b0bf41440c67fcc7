import type { Database } from 'better-sqlite3';
import type { NewEvent, StoredEvent } from '../../events/stream.ts';
import type { Retention } from '../store.ts';
import { type DataVersion, VersionCache } from './version-cache.ts';

const rememberedStreams = 100_000;

/** A full stream lets go of so many events at a time at most: each time writes pages that nothing else writes. */
const forgottenAtOnce = 128;

interface Place {
  id: number;
  seq: number;
  first_seq: number;
}

/** The ordered logs of events, written in the transaction of the change that caused them. */
export class EventLog {
  /** Names this history; see the table `history`. */
  readonly epoch: string;
  readonly #retention: Retention;
  readonly #ids: VersionCache<{ id: number }>;
  readonly #statements;

  constructor(db: Database, version: DataVersion, retention: Retention) {
    this.#ids = new VersionCache(version, rememberedStreams);
    const epoch = db.prepare<[], string>('SELECT epoch FROM history').pluck().get();
    if (epoch === undefined) throw new Error('the database does not say which history it holds');
    this.epoch = epoch;
    this.#retention = retention;
    this.#statements = {
      id: db.prepare<[string], { id: number }>('SELECT id FROM streams WHERE name = ?'),
      advance: db.prepare<[number], Place>(
        'UPDATE streams SET seq = seq + 1 WHERE id = ? RETURNING id, seq, first_seq',
      ),
      begin: db.prepare<[string, string | null, number], Place>(
        `INSERT INTO streams (name, wallet, seq, first_seq, trim_at) VALUES (?, ?, 1, 1, ?)
         RETURNING id, seq, first_seq`,
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
    const place = this.#advance(event, at);
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

  /** The id of a stream; null when nothing was ever written to it. */
  idOf(stream: string): number | null {
    return this.#ids.get(stream, () => this.#statements.id.get(stream) ?? null)?.id ?? null;
  }

  /** The id of a stream that something was written to. */
  requireId(stream: string): number {
    const id = this.idOf(stream);
    if (id === null) throw new Error(`there is no stream ${stream}`);
    return id;
  }

  /** Where a stream stands: the seq of its last event, 0 before the first. */
  seqOf(stream: string): number {
    return this.#statements.seq.get(stream) ?? 0;
  }

  /** Empties a text field in the records of some events of a stream, for good. The events keep their seq. */
  blankField(stream: string, seqs: readonly number[], field: string): void {
    this.#statements.blank.run(`$.${field}`, stream, JSON.stringify(seqs));
  }

  #advance({ stream, audience }: NewEvent, at: number): Place {
    const id = this.idOf(stream);
    const isPlayers = stream.startsWith('player:') && audience.kind === 'players';
    const wallet = (isPlayers && audience.wallets[0]) || null;
    const place =
      id === null
        ? this.#statements.begin.get(stream, wallet, at + this.#retention.maximumAgeMs)
        : this.#statements.advance.get(id);
    if (!place) throw new Error('a statement with RETURNING gave no row');
    return place;
  }

  /** A full stream lets go of its oldest events as new ones come, so no clean-up ever has much to do. */
  #keepWithinCount({ id, seq, first_seq: first }: Place): void {
    const { maximumCount } = this.#retention;
    const lastToForget = seq - maximumCount;
    const atOnce = Math.min(forgottenAtOnce, maximumCount >> 3);
    if (lastToForget - first < atOnce) return;
    this.#statements.forgetUpTo.run(id, lastToForget);
    this.#statements.setFirst.run(lastToForget + 1, id);
  }
}
