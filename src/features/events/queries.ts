import { invalidField } from '../../core/errors.ts';
import {
  fromCursor,
  includes,
  inOrder,
  type Positions,
  positionIn,
  toCursor,
} from '../../core/events/positions.ts';
import {
  type Audience,
  type EventPlace,
  type EventText,
  type Listener,
  type StoredEvent,
  type StreamPosition,
  streamOf,
} from '../../core/events/stream.ts';
import { type StreamRow, streams } from '../../core/events/tables.ts';
import { isGuestAddress } from '../../core/schemas/fields.ts';
import { query, type Read, type ReadSteps, statement } from '../../core/storage/query.ts';
import { otherOf } from '../friends/events.ts';
import { gamesOfPlayer, playersWhoOpened } from '../friends/queries.ts';
import { audienceAt, blockedBy, editsOfMissed, senderOf } from '../messages/audience.ts';
import { notificationCreated } from '../notifications/events.ts';
import { mutedGames } from '../notifications/tables.ts';
import { guests } from '../players/tables.ts';
import { skippedEvent } from './skipped-event.ts';

interface EventRow {
  lane: number;
  position: number;
  /** The place of its predecessor in the stream, when that is in another lane. */
  afterLane: number | null;
  afterPosition: number | null;
  at: number;
  stream: string;
  seq: number;
  name: string;
  record: string;
}

/** Identifies this history; a cursor with another epoch belongs to another one. */
// biome-ignore lint/correctness/useYield: every engine has it in memory
export const readEpoch = query('readEpoch', function* (read): ReadSteps<string> {
  return read.epoch;
});

/** Identifies this database, for state that its nodes share elsewhere. */
// biome-ignore lint/correctness/useYield: every engine has it in memory
export const readInstallation = query('readInstallation', function* (read): ReadSteps<string> {
  return read.installation;
});

/** The last event position of every lane. */
export const lastPositions = query('lastPositions', positionsOfLast);

/** Events after some positions. */
export interface EventsPage {
  /** In order within each stream and each lane. */
  events: StoredEvent[];
  /** Whether there may be more. */
  isCut: boolean;
}

/**
 * Events after `positions`, at most `limit` per lane, from every stream and every process. Audiences are current,
 * except that players who joined a message channel later do not receive its earlier events.
 */
export const eventsAfter = query(
  'eventsAfter',
  function* (read, positions: Positions, limit: number): ReadSteps<EventsPage> {
    const { rows, isCut } = yield* rowsAfter(read, positions, limit);
    return { events: yield* toEvents(read, rows), isCut };
  },
);

/** A page of the event log. */
export interface LogPage {
  /** Each with its commit time in Unix milliseconds. */
  events: (StoredEvent & { at: number })[];
  /** Where to continue; opaque to callers. */
  cursor: string;
  /** Whether there are more right now. */
  more: boolean;
}

/**
 * Events in commit order after a page's `cursor`; without one, the latest events.
 * @throws GantryError `input_invalid` for an invalid cursor
 */
export const readEventLog = query(
  'readEventLog',
  function* (read, after: string | undefined, limit: number): ReadSteps<LogPage> {
    const last = yield* positionsOfLast(read);
    // Trimming leaves no gaps at the end, so the latest events have the last `limit` positions.
    const from: Positions =
      after === undefined
        ? Object.fromEntries(
            Object.entries(last).map(([lane, position]) => [lane, Math.max(0, position - limit)]),
          )
        : positionsAt(after);
    const { rows: found } = yield* rowsAfter(read, from, limit);
    const rows = after === undefined ? found.slice(-limit) : found.slice(0, limit);
    const reached: Record<number, number> = {};
    for (const [lane, position] of Object.entries(last)) {
      reached[Number(lane)] =
        after === undefined ? position : Math.min(positionIn(from, Number(lane)), position);
    }
    for (const { lane, position } of rows) reached[lane] = Math.max(positionIn(reached, lane), position);
    const events = yield* toEvents(read, rows);
    return {
      events: events.map((event, index) => ({ ...event, at: rows[index]?.at ?? 0 })),
      cursor: toCursor(reached),
      more: !includes(reached, last) && rows.length > 0,
    };
  },
);

/**
 * A stream's events after `seq`, in order, for a listener known to be in its audience, which is not looked up. Events
 * hidden from the `listener` are replaced by `skippedEvent`.
 */
export const eventsOfStream = query(
  'eventsOfStream',
  function* (read, stream: string, seq: number, limit: number, listener?: Listener): ReadSteps<EventText[]> {
    const rows = yield* read.all(selectOfStream, { stream, seq, limit });
    const events = rows.map((row) => ({ ...row, stream, epoch: read.epoch }));
    if (listener === undefined || events.length === 0) return events;
    const isHidden = yield* hidesFrom(read, stream, listener, events);
    if (isHidden === null) return events;
    return events.map((event) => (isHidden(event) ? { ...event, ...skippedEvent } : event));
  },
);

/** Which events of a stream are hidden from a listener; null: none. */
function* hidesFrom(
  read: Read,
  stream: string,
  { wallet, gameId, friends }: Listener,
  events: readonly EventText[],
): ReadSteps<((event: EventText) => boolean) | null> {
  const [kind, id = ''] = stream.split(':');
  if (kind === 'player') {
    if (gameId !== null || !(yield* read.get(mutedGames, wallet, id))) return null;
    return ({ name }) => name === notificationCreated.name;
  }
  if (kind === 'channel') {
    const blocked = yield* blockedBy(read, id, wallet);
    const missed = yield* editsOfMissed(read, id, wallet, events);
    if (blocked.size + missed.size === 0) return null;
    return (event) => missed.has(event) || blocked.has(senderOf(event.name, JSON.parse(event.record)) ?? '');
  }
  if (kind !== 'account' || gameId === null) return null;
  const others = new Map(events.map(({ seq, name, record }) => [seq, otherOf(id, name, JSON.parse(record))]));
  const named = [...others.values()].filter((other) => other !== null);
  if (friends === 'all') return ({ seq }) => !others.get(seq);
  const current = new Map<string, string>();
  for (const other of new Set(named)) current.set(other, yield* currentAddress(read, other));
  const known = new Set(yield* read.ask(playersWhoOpened, gameId, [...current.values()]));
  return ({ seq }) => !known.has(current.get(others.get(seq) ?? '') ?? '');
}

/** The wallet of a former guest, who is in no game any more; otherwise the address. */
function* currentAddress(read: Read, address: string): ReadSteps<string> {
  return (isGuestAddress(address) && (yield* read.get(guests, address))?.wallet) || address;
}

/**
 * The positions of the streams a listener currently receives: its own and those of its message channels, except in
 * games its player is banned from.
 */
export const streamPositions = query(
  'streamPositions',
  function* (read, { wallet, gameId, friends = 'none' }: Listener): ReadSteps<StreamPosition[]> {
    if (gameId === null) return [...(yield* read.all(selectStreamsOfPlayer, { wallet, gameId }))];
    const player = streamOf.player(gameId, wallet);
    const account = friends === 'none' ? null : streamOf.account(wallet);
    const found = yield* read.all(selectStreamsInGame, { player, account, wallet, gameId });
    const own = [player, ...(account === null ? [] : [account])];
    return [
      ...own.map((name) => found.find(({ stream }) => stream === name) ?? positionAt(name, undefined)),
      ...found.filter(({ stream }) => !own.includes(stream)),
    ];
  },
);

/** The position of one stream; `seq` is 0 when nothing was ever written to it. */
export const streamPosition = query('streamPosition', positionOf);

function* positionsOfLast(read: Read): ReadSteps<Positions> {
  const rows = yield* read.all(selectLastPositions, {});
  return Object.fromEntries(rows.map(({ lane, position }) => [lane, position]));
}

function* rowsAfter(
  read: Read,
  positions: Positions,
  limit: number,
): ReadSteps<{ rows: EventRow[]; isCut: boolean }> {
  const found = yield* read.all(selectAfter, { positions: JSON.stringify(positions), limit });
  const placed = found.map((row) => ({ ...row, after: afterOf(row) }));
  return { rows: inOrder(placed, positions, limit), isCut: found.length >= limit };
}

function afterOf({ afterLane, afterPosition }: EventRow): EventPlace | null {
  return afterLane === null || afterPosition === null ? null : { lane: afterLane, position: afterPosition };
}

function positionsAt(cursor: string): Positions {
  const positions = fromCursor(cursor);
  if (positions) return positions;
  throw invalidField('after', 'must be the `cursor` of an earlier response');
}

function* positionOf(read: Read, stream: string): ReadSteps<StreamPosition> {
  return positionAt(stream, yield* read.get(streams, stream));
}

function positionAt(stream: string, row: Pick<StreamRow, 'seq' | 'firstSeq'> | undefined): StreamPosition {
  return { stream, seq: row?.seq ?? 0, firstSeq: row?.firstSeq ?? 1, since: 0 };
}

function* toEvents(read: Read, rows: readonly EventRow[]): ReadSteps<StoredEvent[]> {
  const events: StoredEvent[] = [];
  for (const row of rows) {
    const { stream, name, record, seq, lane, position } = row;
    const audience = yield* audienceOf(read, row);
    events.push({
      stream,
      name,
      record,
      epoch: read.epoch,
      seq,
      lane,
      position,
      after: afterOf(row),
      audience,
    });
  }
  return events;
}

/** An event's audience, from its stream's name and, for a message channel, its participants at the time. */
function* audienceOf(read: Read, { stream, seq, name, record }: EventRow): ReadSteps<Audience> {
  const [kind, first = '', second = ''] = stream.split(':');
  if (kind === 'player') {
    const muted = name === notificationCreated.name && (yield* read.get(mutedGames, second, first));
    return { kind: 'players', gameId: first, wallets: [second], ...(muted && { inGameOnly: true }) };
  }
  if (kind === 'game') return { kind: 'game', gameId: first };
  if (kind !== 'account') return yield* audienceAt(read, first, { seq, name, record });
  const other = otherOf(first, name, JSON.parse(record));
  return { kind, wallet: first, inGames: other === null ? null : yield* gamesOfPlayer(read, other) };
}

const selectLastPositions = statement<Record<never, never>, { lane: number; position: number }>({
  sqlite: 'SELECT 0 AS lane, coalesce(max(position), 0) AS position FROM events',
  postgres: 'SELECT lane, position FROM write_lanes',
});
const eventColumns = {
  sqlite: `0 AS lane, e.position, NULL AS "afterLane", NULL AS "afterPosition", e.at, s.name AS stream, e.seq, e.name,
    e.record`,
  postgres: `e.lane, e.position, e.after_lane AS "afterLane", e.after_position AS "afterPosition", e.at,
    s.name AS stream, e.seq, e.name, e.record`,
};
const selectAfter = statement<{ positions: string; limit: number }, EventRow>({
  sqlite: `SELECT ${eventColumns.sqlite} FROM events AS e JOIN streams AS s ON s.id = e.stream_id
    WHERE e.position > coalesce(json_extract(@positions, '$."0"'), 0) ORDER BY e.position LIMIT @limit`,
  postgres: `SELECT ${eventColumns.postgres} FROM write_lanes AS l CROSS JOIN LATERAL (
      SELECT * FROM events AS e WHERE e.lane = l.lane
        AND e.position > coalesce((@positions::jsonb ->> l.lane::text)::bigint, 0)
      ORDER BY e.position LIMIT @limit) AS e JOIN streams AS s ON s.id = e.stream_id
    ORDER BY e.lane, e.position`,
});
const selectOfStream = statement<
  { stream: string; seq: number; limit: number },
  Pick<EventRow, 'seq' | 'name' | 'record'>
>(
  `SELECT seq, name, record FROM events
    WHERE stream_id = (SELECT id FROM streams WHERE name = @stream) AND seq > @seq ORDER BY seq LIMIT @limit`,
);
const streamsWhere = (condition: string) =>
  `SELECT name AS stream, seq, first_seq AS "firstSeq", 0 AS since FROM streams WHERE ${condition}`;
const channelStreams = `SELECT s.name AS stream, s.seq, s.first_seq AS "firstSeq", p.joined_seq AS since
    FROM participants AS p JOIN streams AS s ON s.name = 'channel:' || p.channel_id
    WHERE p.wallet = @wallet AND (p.game_id = @gameId OR @gameId IS NULL)
      AND NOT EXISTS (SELECT 1 FROM bans AS b WHERE b.wallet = p.wallet AND b.game_id = CAST(p.game_id AS text))`;
const selectStreamsOfPlayer = statement<{ wallet: string; gameId: string | null }, StreamPosition>(
  `${streamsWhere('wallet = @wallet')} UNION ALL ${channelStreams}`,
);
// One statement, since it runs for every socket that connects. With IN, SQLite would fill a table for it each time.
const selectStreamsInGame = statement<
  { player: string; account: string | null; wallet: string; gameId: string },
  StreamPosition
>([streamsWhere('name = @player'), streamsWhere('name = @account'), channelStreams].join(' UNION ALL '));
