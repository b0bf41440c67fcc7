import { columnsOf, type Read, type ReadSteps, statement } from '../../core/storage/query.ts';
import type { ChannelMessage } from './message-channel.ts';
import { seqOfMessage, toMessage } from './message-rows.ts';
import { type MessageRow, messages } from './tables.ts';

/** A message with the messages around it. */
export interface MessageInContext {
  message: ChannelMessage;
  /** Both oldest first. */
  before: ChannelMessage[];
  after: ChannelMessage[];
}

/** Messages on each side. */
const messagesPerSide = 10;

/** For moderation; null when the message no longer exists. */
export function* messageInContext(read: Read, messageId: string): ReadSteps<MessageInContext | null> {
  const row = yield* read.get(messages, messageId);
  if (!row) return null;
  const from = { channelId: row.channelId, messageId, limit: messagesPerSide };
  const before = yield* read.all(messagesBefore, from);
  const after = yield* read.all(messagesAfter, from);
  return {
    message: toMessage(row),
    before: before.map(toMessage).toReversed(),
    after: after.map(toMessage),
  };
}

const sideText = (seq: string, side: '<' | '>', order: 'ASC' | 'DESC') =>
  `SELECT ${columnsOf(messages)} FROM messages WHERE channel_id = @channelId
      AND ${seq} ${side} (SELECT ${seq} FROM messages WHERE id = @messageId)
    ORDER BY ${seq} ${order} LIMIT @limit`;
const side = (sign: '<' | '>', order: 'ASC' | 'DESC') =>
  statement<{ channelId: string; messageId: string; limit: number }, MessageRow>({
    sqlite: sideText(seqOfMessage.sqlite, sign, order),
    postgres: sideText(seqOfMessage.postgres, sign, order),
  });
const messagesBefore = side('<', 'DESC');
const messagesAfter = side('>', 'ASC');
