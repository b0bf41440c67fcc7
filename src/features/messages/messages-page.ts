import type { CursorEnd } from '../../core/schemas/list-cursor.ts';
import type { Paged } from '../../core/schemas/paging.ts';
import { columnsOf, type Read, type ReadSteps, statement } from '../../core/storage/query.ts';
import type { ChannelMessage } from './message-channel.ts';
import { eventSeqsOf, idsOfJson, type Span, toMessage } from './message-rows.ts';
import { type MessageRow, messages } from './tables.ts';

export interface MessagesPage extends Paged<ChannelMessage> {
  /**
   * Messages that replies on the page refer to, if visible to the reader and not on the page themselves; omitted if
   * none.
   */
  originals?: ChannelMessage[];
  /** Only for cursor pagination. */
  end?: CursorEnd;
}

/**
 * The player who reads a page, with their absences from the channel and the players they block; omitted for
 * administrators.
 */
interface Reader {
  wallet: string;
  absences: readonly Span[];
  blocked: ReadonlySet<string>;
}

/** A page of a channel's messages, with the messages its replies refer to and the reader's own reactions marked. */
export function* toMessagesPage(
  read: Read,
  channelId: string,
  { total, rows }: Paged<MessageRow>,
  reader?: Reader,
): ReadSteps<MessagesPage> {
  const originals = yield* originalsOf(read, channelId, rows, reader);
  const own = reader ? yield* ownReactions(read, reader.wallet, [...rows, ...originals]) : new Map();
  const shown = (row: MessageRow) => withOwn(toMessage(row), own.get(row.id));
  return { total, rows: rows.map(shown), ...(originals.length > 0 && { originals: originals.map(shown) }) };
}

function* originalsOf(
  read: Read,
  channelId: string,
  rows: readonly MessageRow[],
  reader: Reader | undefined,
): ReadSteps<readonly MessageRow[]> {
  const onPage = new Set(rows.map(({ id }) => id));
  const wanted = new Set(
    rows.flatMap(({ replyTo }) => (replyTo === null || onPage.has(replyTo) ? [] : [replyTo])),
  );
  if (wanted.size === 0) return [];
  const found = yield* read.all(messagesById, { channelId, ids: JSON.stringify([...wanted]) });
  if (!reader) return found;
  const { absences, blocked } = reader;
  return found.filter((row) => {
    const [seq = 0] = eventSeqsOf(row);
    return !blocked.has(row.sender) && !absences.some(({ after, upTo }) => seq > after && seq <= upTo);
  });
}

/** The reader's own reactions to these messages, by message id. */
function* ownReactions(
  read: Read,
  wallet: string,
  rows: readonly MessageRow[],
): ReadSteps<Map<string, Set<string>>> {
  const ids = rows.flatMap(({ id, reactions }) => (reactions === null ? [] : [id]));
  const own = new Map<string, Set<string>>();
  if (ids.length === 0) return own;
  for (const { messageId, reaction } of yield* read.all(reactionsOfPlayer, {
    wallet,
    ids: JSON.stringify(ids),
  })) {
    const known = own.get(messageId);
    if (known) known.add(reaction);
    else own.set(messageId, new Set([reaction]));
  }
  return own;
}

function withOwn(message: ChannelMessage, own: ReadonlySet<string> | undefined): ChannelMessage {
  if (!own || !message.reactions) return message;
  const reactions = message.reactions.map((one) =>
    own.has(one.reaction) ? { ...one, own: true as const } : one,
  );
  return { ...message, reactions };
}

const byIdText = (ids: string) =>
  `SELECT ${columnsOf(messages)} FROM messages WHERE channel_id = @channelId AND id IN (${ids}) ORDER BY id`;
const messagesById = statement<{ channelId: string; ids: string }, MessageRow>({
  sqlite: byIdText(idsOfJson.sqlite),
  postgres: byIdText(idsOfJson.postgres),
});

const ownText = (ids: string) =>
  `SELECT message_id AS "messageId", reaction FROM message_reactions
    WHERE message_id IN (${ids}) AND wallet = @wallet`;
const reactionsOfPlayer = statement<{ wallet: string; ids: string }, { messageId: string; reaction: string }>(
  { sqlite: ownText(idsOfJson.sqlite), postgres: ownText(idsOfJson.postgres) },
);
