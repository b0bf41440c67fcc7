import SqliteDatabase, { type Database } from 'better-sqlite3';
import { z } from 'zod';
import { repeated } from './burst.ts';
import type { Entry, Ledger } from './ledger.ts';

/** What was found in the database after a crash. All but the first two ought to be 0, and `integrity` "ok". */
export interface Findings {
  /** Writes answered with success. */
  answered: number;
  /** Writes the server died before answering: kept or not, but wholly. */
  unanswered: number;
  /** Of the answered, those that are not there. */
  lost: number;
  /** Changes without the event that tells of them. */
  changesWithoutEvent: number;
  /** Events that tell of what is not there. */
  eventsWithoutChange: number;
  /** Streams whose events are not numbered 1, 2, 3 … to where the stream stands. */
  streamsWithGaps: number;
  /** What `PRAGMA integrity_check` says. */
  integrity: string;
}

/** Compares what the ledger says with what the database file holds. */
export function audit(databaseFile: string, { entries, answeredCount }: Ledger): Findings {
  const db = new SqliteDatabase(databaseFile, { readonly: true });
  try {
    const answered = entries.filter((entry) => entry.answered);
    const holds = whatHolds(db);
    const told = whatIsTold(db);
    const records = new Map(
      db
        .prepare<[], [string, Value]>(
          'SELECT id, score FROM scores UNION ALL SELECT id, content FROM messages',
        )
        .raw()
        .all(),
    );
    const isTold = ([id, value]: [string, Value]) => {
      const events = told.get(id);
      return events?.created === 1 && events.values.at(-1) === value;
    };
    // A score that was written over since has an event of its own all the same.
    const toldValues = new Set([...told.values()].flatMap(({ values }) => values));
    const scores = answered.filter(({ kind }) => kind === 'score' || kind === 'repeated score');
    return {
      answered: answeredCount,
      unanswered: entries.length - answeredCount,
      lost: answered.filter((entry) => !holds(entry)).length,
      changesWithoutEvent:
        [...records].filter((record) => !isTold(record)).length +
        scores.filter(({ number }) => !toldValues.has(number)).length,
      eventsWithoutChange: [...told.keys()].filter((id) => !records.has(id)).length,
      streamsWithGaps: db.prepare<[], number>(streamsWithGaps).pluck().get() ?? 0,
      integrity: String(db.pragma('integrity_check', { simple: true })),
    };
  } finally {
    db.close();
  }
}

const toldRecord = z.object({
  _id: z.string(),
  score: z.number().optional(),
  content: z.string().optional(),
});

/** A score, or what a message says. */
type Value = number | string;

interface Told {
  /** How many events tell that the record was created. */
  created: number;
  /** What the events say the record holds, in their order. */
  values: Value[];
}

/** What the events tell of scores and messages, by the record's id. */
function whatIsTold(db: Database): Map<string, Told> {
  const told = new Map<string, Told>();
  const events = db
    .prepare<[], { name: string; record: string }>(
      `SELECT name, record FROM events WHERE name LIKE 'scores %' OR name LIKE 'chat-messages %'
       ORDER BY stream_id, seq`,
    )
    .all();
  for (const { name, record } of events) {
    const { _id, score, content } = toldRecord.parse(JSON.parse(record));
    const one = told.get(_id) ?? { created: 0, values: [] };
    told.set(_id, one);
    if (name.endsWith(' created')) one.created++;
    one.values.push(score ?? content ?? '');
  }
  return told;
}

/** Whether a write is there; for one that was written over since, whether what is there came after it. */
function whatHolds(db: Database): (entry: Entry) => boolean {
  const scores = numbersByKey(
    db,
    `SELECT s.wallet || ' ' || coalesce(c.nonce, c.id), c.score
     FROM scores AS c JOIN streams AS s ON s.id = c.stream_id`,
  );
  const states = numbersByKey(
    db,
    "SELECT wallet || ' ' || label, json_extract(json, '$.number') FROM states",
  );
  const messages = numbersByKey(
    db,
    "SELECT channel_id || ' ' || sender || ' ' || content, count(*) FROM messages GROUP BY 1",
  );
  return ({ kind, wallet, channelId, number }) => {
    switch (kind) {
      case 'score':
        return scores.get(`${wallet} n-${number}`) === number;
      case 'repeated score':
        return (scores.get(`${wallet} ${repeated.nonce}`) ?? 0) >= number;
      case 'message':
        return messages.get(`${channelId} ${wallet} message ${number}`) === 1;
      case 'state':
        return (states.get(`${wallet} ${repeated.label}`) ?? 0) >= number;
    }
  };
}

/** A query's two columns as a map, read at once: asking for each entry by itself takes minutes. */
function numbersByKey(db: Database, sql: string): Map<string, number> {
  return new Map(db.prepare<[], [string, number]>(sql).raw().all());
}

const streamsWithGaps = `
  SELECT count(*) FROM streams AS s WHERE s.seq <> (SELECT count(*) FROM events WHERE stream_id = s.id)
    OR s.seq <> (SELECT max(seq) FROM events WHERE stream_id = s.id)`;
