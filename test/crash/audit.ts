import SqliteFile, { type Database } from 'better-sqlite3';
import { z } from 'zod';
import { SqliteDatabase } from '../../src/engines/sqlite/sqlite-database.ts';
import { defaultBoardOf } from '../../src/features/scores/board-rows.ts';
import { readBoardPage, readPlace } from '../../src/features/scores/leaderboard-queries.ts';
import { domain } from '../../src/server/declarations/domain.ts';
import type { Entry, Ledger } from './ledger.ts';
import { wins } from './players.ts';

/** What the audit found in the database after a crash. All but the first two should be 0, and `integrity` "ok". */
export interface Findings {
  /** Writes acknowledged with success. */
  answered: number;
  /** Writes that the server died before acknowledging: stored or not, but atomically. */
  unanswered: number;
  /** Acknowledged writes that are missing. */
  lost: number;
  /** Partially stored changes, and rows that nobody has written. */
  halfWritten: number;
  /** Changes without their event. */
  changesWithoutEvent: number;
  /** Events about missing records. */
  eventsWithoutChange: number;
  /** Streams whose events are not numbered 1, 2, 3 … up to the stream's position. */
  streamsWithGaps: number;
  /** Leaderboard rows that differ from a sort of the scores. */
  wrongRanks: number;
  /** The result of `PRAGMA integrity_check`. */
  integrity: string;
}

/** Whether nothing was lost. */
export function isComplete(findings: Omit<Findings, 'answered' | 'unanswered'>): boolean {
  const { lost, halfWritten, changesWithoutEvent, eventsWithoutChange, streamsWithGaps, wrongRanks } =
    findings;
  const faults =
    lost + halfWritten + changesWithoutEvent + eventsWithoutChange + streamsWithGaps + wrongRanks;
  return faults === 0 && findings.integrity === 'ok';
}

/**
 * Compares the ledger with the database file. `wasAnswered` replaces the ledger's record of acknowledgements, to check
 * an earlier moment.
 */
export async function audit(
  databaseFile: string,
  ledger: Ledger,
  wasAnswered: (entry: Entry) => boolean = ({ answered }) => answered,
): Promise<Findings> {
  const store = new SqliteDatabase(databaseFile, domain); // as the next start would, which recovers after a crash
  const db = new SqliteFile(databaseFile, { readonly: true });
  try {
    const held = new Map(db.prepare<[], [string, string]>(storedValues).raw().all());
    const { answered, lost } = compare(held, ledger, wasAnswered);
    const requested = (key: string, value: string) =>
      ledger.byKey.get(key)?.some((entry) => entry.value === value) ?? false;
    const { withoutEvent, withoutChange } = compareWithEvents(db);
    return {
      answered,
      unanswered: ledger.askedCount - answered,
      lost,
      halfWritten:
        [...held].filter(([key, value]) => !requested(key, value)).length +
        (db.prepare<[typeof wins], number>(partialChanges).pluck().get(wins) ?? 0) +
        (db.pragma('foreign_key_check') as unknown[]).length,
      changesWithoutEvent: withoutEvent,
      eventsWithoutChange: withoutChange,
      streamsWithGaps: db.prepare<[], number>(streamsWithGaps).pluck().get() ?? 0,
      wrongRanks: await wrongRanks(store, db),
      integrity: String(db.pragma('integrity_check', { simple: true })),
    };
  } finally {
    db.close();
    await store.close();
  }
}

/** The stored value must be from the last acknowledged write, or from a later unacknowledged one. */
function compare(
  held: ReadonlyMap<string, string>,
  { byKey }: Ledger,
  wasAnswered: (entry: Entry) => boolean,
): { answered: number; lost: number } {
  let answered = 0;
  let lost = 0;
  for (const [key, entries] of byKey) {
    const last = entries.findLastIndex(wasAnswered);
    if (last < 0) continue;
    const value = held.get(key) ?? null;
    if (!entries.slice(last).some((entry) => entry.value === value)) lost++;
    for (const entry of entries) if (wasAnswered(entry)) answered++;
  }
  return { answered, lost };
}

/** Everything the load writes, by the ledger's keys; what the rule adds is left to `partialChanges`. */
const storedValues = `
  SELECT 'score ' || s.wallet || ' ' || c.nonce, CAST(CAST(c.score AS INTEGER) AS TEXT)
    FROM scores AS c JOIN streams AS s ON s.id = c.stream_id WHERE c.nonce <> '${wins.nonce}'
  UNION ALL SELECT 'state ' || wallet || ' ' || label, CAST(json ->> '$.number' AS TEXT) FROM states
  UNION ALL SELECT 'message ' || CAST(substr(content, 9) AS INTEGER), content FROM messages
  UNION ALL SELECT 'activity ' || wallet || ' ' || label, event_id
    FROM activities WHERE event_id <> '${wins.eventId}'
  UNION ALL SELECT 'notification ' || wallet || ' ' || message, type
    FROM notifications WHERE message NOT LIKE 'won %'
  UNION ALL SELECT 'trigger ' || wallet || ' ' || nonce, CAST(CAST(value AS INTEGER) AS TEXT) FROM rule_triggers
  UNION ALL SELECT 'play session ' || id, (state ->> '$.number') || iif(end_time IS NULL, '', ' ended')
    FROM play_sessions`;

/** A trigger and its rule's effects are one change, and so are a message and its channel's count. */
const partialChanges = `
  SELECT (SELECT count(*) FROM rule_triggers AS t WHERE actions <> '["Notify","SendCustomActivity","UpdateScore"]'
      OR (SELECT count(*) FROM notifications AS n WHERE n.wallet = t.wallet AND n.message = 'won ' || t.nonce) <> 1
      OR (SELECT count(*) FROM activities AS a
          WHERE a.wallet = t.wallet AND a.event_id = @eventId AND a.label = 'won ' || t.nonce) <> 1)
    + abs((SELECT count(*) FROM rule_triggers)
      - (SELECT total(c.score) FROM scores AS c WHERE c.nonce = @nonce))
    + abs((SELECT count(*) FROM rule_triggers) - (SELECT count(*) FROM notifications WHERE message LIKE 'won %'))
    + abs((SELECT count(*) FROM rule_triggers) - (SELECT count(*) FROM activities WHERE event_id = @eventId))
    + (SELECT count(*) FROM message_channels AS c
       WHERE message_count <> (SELECT count(*) FROM messages WHERE channel_id = c.id))
    + (SELECT count(*) FROM scores AS c JOIN streams AS s ON s.id = c.stream_id WHERE c.revision NOT IN
        (SELECT seq FROM events WHERE stream_id = c.stream_id))`;

const streamsWithGaps = `
  SELECT count(*) FROM streams AS s WHERE s.seq <> (SELECT count(*) FROM events WHERE stream_id = s.id)
    OR s.seq <> (SELECT max(seq) FROM events WHERE stream_id = s.id)`;

/** The counts of a board, at each level, add up to its number of rows. */
const wrongMarks = `
  SELECT count(*) FROM boards AS b JOIN (SELECT DISTINCT level FROM board_marks) AS l
  WHERE (SELECT total(count) FROM board_marks AS m WHERE m.board_id = b.id AND m.level = l.level)
    <> (SELECT count(*) FROM board WHERE board_id = b.id)`;

/** A score, or the text of a message, a notification or an activity. */
type Value = number | string;

interface Told {
  /** How many events say that the record was created. */
  created: number;
  isRemoved: boolean;
  /** The record's values by its events, in order. */
  values: Value[];
}

/** Every record against its events. */
function compareWithEvents(db: Database): { withoutEvent: number; withoutChange: number } {
  const told = recordsInEvents(db);
  const records = new Map(
    db
      .prepare<[], [string, Value]>(
        `SELECT id, score FROM scores UNION ALL SELECT id, content FROM messages
         UNION ALL SELECT id, message FROM notifications UNION ALL SELECT id, label FROM activities`,
      )
      .raw()
      .all(),
  );
  const isTold = ([id, value]: [string, Value]) => {
    const events = told.get(id);
    return events?.created === 1 && !events.isRemoved && events.values.at(-1) === value;
  };
  // Of an unsent message only the fact that it was unsent is left.
  const isGone = ({ created, isRemoved, values }: Told) =>
    created === 1 && isRemoved && values.every((value) => value === '');
  return {
    withoutEvent: [...records].filter((record) => !isTold(record)).length,
    withoutChange: [...told].filter(([id, events]) => !records.has(id) && !isGone(events)).length,
  };
}

const eventValues = z.object({
  _id: z.string(),
  score: z.number().optional(),
  content: z.string().optional(),
  message: z.string().optional(),
  label: z.string().optional(),
});

function recordsInEvents(db: Database): Map<string, Told> {
  const told = new Map<string, Told>();
  const events = db
    .prepare<[], { name: string; record: string }>(
      `SELECT name, record FROM events WHERE name LIKE 'scores %' OR name LIKE 'chat-messages %'
         OR name LIKE 'notifications %' OR name LIKE 'activities %'
       ORDER BY stream_id, seq`,
    )
    .iterate();
  for (const { name, record } of events) {
    const { _id, score, content, message, label } = eventValues.parse(JSON.parse(record));
    const one = told.get(_id) ?? { created: 0, isRemoved: false, values: [] };
    told.set(_id, one);
    if (name.endsWith(' created')) one.created++;
    if (name.endsWith(' removed')) one.isRemoved = true;
    else one.values.push(score ?? content ?? message ?? label ?? '');
  }
  return told;
}

/** Compares every row of every leaderboard, as the store returns it, with a sort of the scores. */
async function wrongRanks(store: SqliteDatabase, db: Database): Promise<number> {
  const sorted = db
    .prepare<[string], [string, number]>(
      `SELECT wallet, score FROM (
         SELECT s.wallet, c.score, c.reached_at, c.id, row_number() OVER (
           PARTITION BY c.stream_id ORDER BY c.score DESC, c.reached_at, c.id) AS place
         FROM scores AS c JOIN streams AS s ON s.id = c.stream_id WHERE s.name LIKE 'player:' || ? || ':%')
       WHERE place = 1 ORDER BY score DESC, reached_at, id`,
    )
    .raw();
  let wrong = db.prepare<[], number>(wrongMarks).pluck().get() ?? 0;
  for (const id of db.prepare<[], string>('SELECT id FROM games').pluck().all()) {
    const wanted = sorted.all(id);
    const rows = await store.read(readBoardPage, defaultBoardOf(id), { limit: wanted.length + 1, skip: 0 });
    wrong += Math.abs(rows.length - wanted.length);
    for (const [place, [wallet, score]] of wanted.entries()) {
      const row = rows[place];
      const position = await store.read(readPlace, defaultBoardOf(id), wallet);
      if (row?.normalizedAddress !== wallet || row.score !== score || position !== place + 1) wrong++;
    }
  }
  return wrong;
}
