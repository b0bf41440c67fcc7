import { streamsOfPlayer } from '../../core/events/renaming.ts';
import { streamOf } from '../../core/events/stream.ts';
import { exclusiveCommand, type Steps } from '../../core/storage/command.ts';
import { query, type ReadSteps, statement } from '../../core/storage/query.ts';
import { activityCreated } from '../activities/events.ts';
import { activities } from '../activities/tables.ts';
import {
  friendCreated,
  friendPatched,
  friendRemoved,
  inviteCreated,
  inviteRemoved,
} from '../friends/events.ts';
import {
  messageChannelCreated,
  messageChannelPatched,
  messageReactionCreated,
  messageReactionRemoved,
} from '../messages/events.ts';
import type { Permission } from '../messages/message-channel.ts';
import { gameChannelPatched } from '../sessions/events.ts';

/** The most rows that a command of an erasure writes, to bound how long other writes wait. */
export const sliceRows = 500;

/** Replaces an erased player's wallet in events that others may still receive. */
export const erasedAddress = `0x${'0'.repeat(40)}`;

/** Which pass over the player's data: the second one also finds what was committed during the first. */
export type Pass = 'first' | 'last';

/** Overwrites the events of the player's own streams as `blankTexts` does; the first pass keeps those that `isEnd` describes. */
export const blankOwnEvents = exclusiveCommand(
  'blankOwnEvents',
  function* (tx, wallet: string, pass: Pass): Steps<boolean> {
    return (yield* tx.run(blankEventsOf[pass], { wallet, limit: sliceRows })) === sliceRows;
  },
);

/** The streams of channels, games and other players whose events may name the player. */
export const sharedStreamsOf = query('sharedStreamsOf', function* (read, wallet: string): ReadSteps<
  string[]
> {
  const rows = yield* read.all(sharedStreams, { wallet });
  return rows.map(({ name }) => name);
});

/** The player's address, and the one it had as a guest, whose end the player's friends were told. */
export const addressesOf = query('addressesOf', function* (read, wallet: string): ReadSteps<string[]> {
  const rows = yield* read.all(formerAddresses, { wallet });
  return [wallet, ...rows.map(({ address }) => address)];
});

/** Removes the player from events of a shared stream, which keep their seq. Returns true when there may be more. */
export const anonymizeEvents = exclusiveCommand(
  'anonymizeEvents',
  function* (tx, stream: string, wallet: string): Steps<boolean> {
    const changed = yield* tx.run(anonymize, { stream, wallet, erasedAddress, limit: sliceRows });
    return changed === sliceRows;
  },
);

/**
 * Channels whose names and pictures the player may have chosen, which is not recorded: those that the player can edit,
 * and all that the player has left.
 */
export const namedChannelsOf = query('namedChannelsOf', function* (read, wallet: string): ReadSteps<
  string[]
> {
  const rows = yield* read.all(namedChannels, { wallet });
  return rows.map(({ id }) => id);
});

/** Empties a channel's name and picture, and those that it had before, in its events. */
export const eraseChannelInfo = exclusiveCommand('eraseChannelInfo', function* (tx, id: string): Steps<void> {
  yield* tx.run(blankChannelInfo, { id }); // overwritten first, as in `blankTexts`
  yield* tx.run(emptyChannelInfo, { id });
  yield* tx.run(emptyChannelEvents, { stream: streamOf.channel(id) });
});

/** The player's own streams, one per game. */
export const ownStreamsOf = query('ownStreamsOf', function* (read, wallet: string): ReadSteps<string[]> {
  const rows = yield* read.all(streamsOfPlayer, { wallet });
  return rows.map(({ name }) => name);
});

/** Deletes the events of the player's own streams, as `blankOwnEvents` overwrites them. */
export const eraseOwnEvents = exclusiveCommand(
  'eraseOwnEvents',
  function* (tx, wallet: string, pass: Pass): Steps<boolean> {
    return (yield* tx.run(eventsOf[pass], { wallet, limit: sliceRows })) === sliceRows;
  },
);

/** SQL expression: the JSON text with these top-level fields, which it has, emptied. */
function sqliteEmptied(json: string, fields: readonly string[]): string {
  return `json_set(${json}, ${fields.map((field) => `'$.${field}', ''`).join(', ')})`;
}

/**
 * As `sqliteEmptied`. jsonb would change the record's whitespace and field order. Quotes within JSON strings are escaped,
 * so only the fields themselves can match.
 */
function postgresEmptied(json: string, fields: readonly string[]): string {
  return fields.reduce(
    (text, field) => `regexp_replace(${text}, '"${field}":"([^"\\\\]|\\\\.)*"', '"${field}":""')`,
    json,
  );
}

/** SQL expression: a text of `count` zeros. */
export function zeros(count: string): { sqlite: string; postgres: string } {
  return { sqlite: `substr(hex(zeroblob(${count})), 1, ${count})`, postgres: `repeat('0', ${count})` };
}

/** SQL expression: a JSON string as long as the JSON text, of at least 2 bytes, which concurrent readers can still parse. */
export function blankJson(json: string): { sqlite: string; postgres: string } {
  const { sqlite, postgres } = zeros(`octet_length(${json}) - 2`);
  return { sqlite: `'"' || ${sqlite} || '"'`, postgres: `'"' || ${postgres} || '"'` };
}

const blankRecord = blankJson('record');

const ofPlayer = 'stream_id IN (SELECT id FROM streams WHERE wallet = @wallet)';
/** Events of the ends of the player's sessions by the erasure, which other processes need to disconnect the sockets. */
const isEnd = `name = '${gameChannelPatched.name}' AND record LIKE '%"endReason":"erased"%'`;
const eventsIn: Readonly<Record<Pass, string>> = {
  first: `${ofPlayer} AND NOT (${isEnd})`,
  last: ofPlayer,
};
const blankText = (blank: string, key: string, where: string) =>
  `UPDATE events SET record = ${blank} WHERE (${key}) IN (
    SELECT ${key} FROM events WHERE ${where} AND record <> ${blank} LIMIT @limit)`;
const blankEventsIn = (where: string) =>
  statement<{ wallet: string; limit: number }>({
    sqlite: blankText(blankRecord.sqlite, 'position', where),
    postgres: blankText(blankRecord.postgres, 'stream_id, seq', where),
  });
const blankEventsOf = { first: blankEventsIn(eventsIn.first), last: blankEventsIn(eventsIn.last) };
const eraseText = (key: string, where: string) =>
  `DELETE FROM events WHERE (${key}) IN (SELECT ${key} FROM events WHERE ${where} LIMIT @limit)`;
const deleteEventsIn = (where: string) =>
  statement<{ wallet: string; limit: number }>({
    sqlite: eraseText('position', where),
    postgres: eraseText('stream_id, seq', where),
  });
const eventsOf = { first: deleteEventsIn(eventsIn.first), last: deleteEventsIn(eventsIn.last) };
/** The addresses that a player had as a guest. */
export const formerAddresses = statement<{ wallet: string }, { address: string }>(
  'SELECT address FROM guests WHERE wallet = @wallet AND address <> @wallet',
);
/** Streams of channels, games and other players whose events may name the player. */
export const sharedStreams = statement<{ wallet: string }, { name: string }>(
  `SELECT name FROM streams WHERE name IN (
    SELECT 'account:' || wallet FROM friendships WHERE other = @wallet
    UNION SELECT 'channel:' || channel_id FROM participants WHERE wallet = @wallet
    UNION SELECT 'channel:' || channel_id FROM former_participants WHERE wallet = @wallet
    UNION SELECT 'channel:' || channel_id FROM messages WHERE sender = @wallet
    UNION SELECT 'game:' || game_id FROM activities WHERE wallet = @wallet)`,
);
const channelTexts = ['name', 'chatPicture'];
const editsInfo: Permission = 'edit-info';
const ofChannelInfo = `name IN ('${messageChannelCreated.name}', '${messageChannelPatched.name}')
    AND stream_id = (SELECT id FROM streams WHERE name = @stream)`;
const namedChannels = statement<{ wallet: string }, { id: string }>(
  `SELECT channel_id AS id FROM participants WHERE wallet = @wallet AND permissions LIKE '%"${editsInfo}"%'
    UNION SELECT channel_id AS id FROM former_participants WHERE wallet = @wallet`,
);
const [blankName, blankPicture] = ['name', 'chat_picture'].map((column) => zeros(`octet_length(${column})`));
const blankInfo = (name = '', picture = '') =>
  `UPDATE message_channels SET name = ${name}, chat_picture = ${picture} WHERE id = @id`;
const blankChannelInfo = statement<{ id: string }>({
  sqlite: blankInfo(blankName?.sqlite, blankPicture?.sqlite),
  postgres: blankInfo(blankName?.postgres, blankPicture?.postgres),
});
const emptyChannelInfo = statement<{ id: string }>(blankInfo("''", "''"));
const emptyChannelEvents = statement<{ stream: string }>({
  sqlite: `UPDATE events SET record = ${sqliteEmptied('record', channelTexts)} WHERE ${ofChannelInfo}`,
  postgres: `UPDATE events SET record = ${postgresEmptied('record', channelTexts)} WHERE ${ofChannelInfo}`,
});
/** Events of shared streams with texts by the player that they name, and those fields. */
const eventTexts: readonly (readonly [event: string, fields: readonly string[]])[] = [
  [activityCreated.name, activities.of.texts ?? []],
  [messageReactionCreated.name, ['reaction']],
  [messageReactionRemoved.name, ['reaction']],
  [friendCreated.name, ['message']],
  [friendPatched.name, ['message']],
  [friendRemoved.name, ['message']],
  [inviteCreated.name, ['message']],
  [inviteRemoved.name, ['message']],
];
const withoutTexts = (emptied: typeof sqliteEmptied) =>
  `CASE name ${eventTexts.map(([event, fields]) => `WHEN '${event}' THEN ${emptied('record', fields)}`).join(' ')}
    ELSE record END`;
const anonymize = statement<{ stream: string; wallet: string; erasedAddress: string; limit: number }>({
  sqlite: `UPDATE events SET record = replace(${withoutTexts(sqliteEmptied)}, @wallet, @erasedAddress)
    WHERE position IN (SELECT position FROM events
      WHERE stream_id = (SELECT id FROM streams WHERE name = @stream) AND instr(record, @wallet) > 0 LIMIT @limit)`,
  postgres: `UPDATE events SET record = replace(${withoutTexts(postgresEmptied)}, @wallet, @erasedAddress)
    WHERE (stream_id, seq) IN (SELECT stream_id, seq FROM events
      WHERE stream_id = (SELECT id FROM streams WHERE name = @stream) AND strpos(record, @wallet) > 0 LIMIT @limit)`,
});
