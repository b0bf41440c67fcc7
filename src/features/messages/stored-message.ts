import { z } from 'zod';
import { rowOverheadBytes } from '../storage-quota/row-bytes.ts';
import type { ChannelMessage } from './message-channel.ts';
import type { MessageRow } from './tables.ts';

const seqList = z.array(z.int());
export const reactionCounts = z.array(z.tuple([z.string(), z.int()]));

export function toMessage(row: MessageRow): ChannelMessage {
  return {
    _id: row.id,
    channelId: row.channelId,
    senderId: row.sender,
    content: row.content,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
    ...(row.replyTo !== null && { replyTo: row.replyTo }),
    ...(row.reactions !== null && {
      reactions: reactionsOf(row).map(([reaction, count]) => ({ reaction, count })),
    }),
  };
}

/** Bytes that a message counts against its sender's quota: each event with its content stores a copy. */
export function storedBytesOf(row: Pick<MessageRow, 'content' | 'eventSeqs'>): number {
  return rowOverheadBytes + Buffer.byteLength(row.content) * eventSeqsOf(row).length;
}

/** A message's reactions with their counts, in the order of first use. */
export function reactionsOf({
  reactions,
}: Pick<MessageRow, 'reactions'>): [reaction: string, count: number][] {
  return reactions === null ? [] : reactionCounts.parse(JSON.parse(reactions));
}

/** The seqs of the channel's events that hold the message's content, its creation first. */
export function eventSeqsOf(row: Pick<MessageRow, 'eventSeqs'>): number[] {
  return seqList.parse(JSON.parse(row.eventSeqs));
}

/** SQL expression: a message's seq in its channel's stream, exactly as the index `messages_by_seq` defines it. */
export const seqOfMessage = {
  sqlite: `json_extract(event_seqs, '$[0]')`,
  postgres: `CAST(substring(event_seqs FROM '[0-9]+') AS bigint)`,
};

/** SQL subquery: the ids in the JSON array @ids. */
export const idsOfJson = {
  sqlite: 'SELECT value FROM json_each(@ids)',
  postgres: 'SELECT CAST(value AS uuid) FROM json_array_elements_text(CAST(@ids AS json)) AS listed (value)',
};
