import type { Database } from 'better-sqlite3';
import { z } from 'zod';
import { catalogue, type EventName, type EventRecord } from '../../events/catalogue.ts';
import { type Audience, type StoredEvent, streamOf } from '../../events/stream.ts';
import type { EventStore, Listener, Retention, StreamStanding } from '../store.ts';
import type { EventLog } from './event-log.ts';
import type { GroupCommit } from './group-commit.ts';

/** How many streams one round of trimming looks at: each is one command of a group commit. */
const streamsARound = 20;
const notificationsARound = 500;

interface EventRow {
  position: number;
  stream: string;
  seq: number;
  name: string;
  record: string;
}

interface StandingRow {
  stream: string;
  seq: number;
  firstSeq: number;
  since: number;
}

const eventNames = Object.keys(catalogue) as [EventName];
const eventName = z.enum(eventNames);

export class SqliteEvents implements EventStore {
  readonly #group: GroupCommit;
  readonly #log: EventLog;
  readonly #statements;

  constructor(db: Database, group: GroupCommit, log: EventLog) {
    this.#group = group;
    this.#log = log;
    const columns = 'e.position, s.name AS stream, e.seq, e.name, e.record';
    this.#statements = {
      lastPosition: db.prepare<[], number | null>('SELECT max(position) FROM events').pluck(),
      after: db.prepare<[number, number], EventRow>(
        `SELECT ${columns} FROM events AS e JOIN streams AS s ON s.id = e.stream_id
         WHERE e.position > ? ORDER BY e.position LIMIT ?`,
      ),
      ofStream: db.prepare<[string, number, number], EventRow>(
        `SELECT ${columns} FROM events AS e JOIN streams AS s ON s.id = e.stream_id
         WHERE e.stream_id = (SELECT id FROM streams WHERE name = ?) AND e.seq > ? ORDER BY e.seq LIMIT ?`,
      ),
      standing: db.prepare<[string], StandingRow>(
        'SELECT name AS stream, seq, first_seq AS firstSeq, 0 AS since FROM streams WHERE name = ?',
      ),
      ownStandings: db.prepare<[string], StandingRow>(
        'SELECT name AS stream, seq, first_seq AS firstSeq, 0 AS since FROM streams WHERE wallet = ?',
      ),
      channelStandings: db.prepare<[Listener], StandingRow>(
        `SELECT s.name AS stream, s.seq, s.first_seq AS firstSeq, p.joined_seq AS since
         FROM participants AS p JOIN streams AS s ON s.name = 'channel:' || p.channel_id
         WHERE p.wallet = @wallet AND (@gameId IS NULL OR p.game_id = @gameId)`,
      ),
      members: db.prepare<[string, number], { wallet: string; game_id: string }>(
        'SELECT wallet, game_id FROM participants WHERE channel_id = ? AND joined_seq < ?',
      ),
      dueForTrimming: db.prepare<[number, number], { id: number; seq: number }>(
        'SELECT id, seq FROM streams WHERE trim_at <= ? ORDER BY trim_at LIMIT ?',
      ),
      firstKept: db
        .prepare<[number, number], number | null>(
          'SELECT min(seq) FROM events WHERE stream_id = ? AND at > ?',
        )
        .pluck(),
      forgetBefore: db.prepare('DELETE FROM events WHERE stream_id = ? AND seq < ?'),
      setTrimmed: db.prepare('UPDATE streams SET first_seq = ?, trim_at = ? WHERE id = ?'),
      ageOf: db
        .prepare<[number, number], number>('SELECT at FROM events WHERE stream_id = ? AND seq = ?')
        .pluck(),
      forgetNotifications: db.prepare(
        `DELETE FROM notifications WHERE id IN (
           SELECT id FROM notifications WHERE delivered_at IS NOT NULL AND delivered_at < ? LIMIT ?)`,
      ),
    };
  }

  async epoch(): Promise<string> {
    return this.#log.epoch;
  }

  async lastPosition(): Promise<number> {
    return this.#statements.lastPosition.get() ?? 0;
  }

  async after(position: number, limit: number): Promise<StoredEvent[]> {
    return this.#statements.after.all(position, limit).map((row) => this.#toEvent(row));
  }

  async ofStream(stream: string, afterSeq: number, limit: number): Promise<StoredEvent[]> {
    return this.#statements.ofStream.all(stream, afterSeq, limit).map((row) => this.#toEvent(row));
  }

  async standings(listener: Listener): Promise<StreamStanding[]> {
    const { wallet, gameId } = listener;
    const own =
      gameId === null
        ? this.#statements.ownStandings.all(wallet)
        : [this.#standing(streamOf.player(gameId, wallet))];
    return [...own, ...this.#statements.channelStandings.all(listener)];
  }

  async standing(stream: string): Promise<StreamStanding> {
    return this.#standing(stream);
  }

  async trim(retention: Retention): Promise<boolean> {
    return this.#group.write((tx) => {
      const tooOld = tx.now - retention.maximumAgeMs;
      const due = this.#statements.dueForTrimming.all(tx.now, streamsARound);
      for (const { id, seq } of due) {
        // The last event stays, however old: positions are counted on from it.
        const first = this.#statements.firstKept.get(id, tooOld) ?? seq;
        this.#statements.forgetBefore.run(id, first);
        const oldest = Math.max(this.#statements.ageOf.get(id, first) ?? tx.now, tooOld + 1);
        const nextLook = first === seq ? tx.now : oldest;
        this.#statements.setTrimmed.run(first, nextLook + retention.maximumAgeMs, id);
      }
      const { changes } = this.#statements.forgetNotifications.run(tooOld, notificationsARound);
      return due.length === streamsARound || changes === notificationsARound;
    });
  }

  #standing(stream: string): StreamStanding {
    return this.#statements.standing.get(stream) ?? { stream, seq: 0, firstSeq: 1, since: 0 };
  }

  #toEvent(row: EventRow): StoredEvent {
    const name = eventName.parse(row.name);
    return {
      stream: row.stream,
      name,
      // Written by `EventLog.append`, which takes nothing but the catalogue's records.
      record: JSON.parse(row.record) as EventRecord<EventName>,
      audience: this.#audience(row.stream, row.seq),
      epoch: this.#log.epoch,
      seq: row.seq,
      position: row.position,
    };
  }

  /** Who may hear an event of a stream, by its name and, for a message channel, who is in it now. */
  #audience(stream: string, seq: number): Audience {
    const [kind, first = '', second = ''] = stream.split(':');
    if (kind === 'player') return { kind: 'players', gameId: first, wallets: [second] };
    if (kind === 'game') return { kind: 'game', gameId: first };
    const members = this.#statements.members.all(first, seq);
    return {
      kind: 'players',
      gameId: members[0]?.game_id ?? '',
      wallets: members.map((member) => member.wallet),
    };
  }
}
