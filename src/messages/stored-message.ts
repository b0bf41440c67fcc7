import { z } from 'zod';
import { countedRowBytes } from '../storage-quota/count-stored.ts';
import type { ChannelMessage } from './message-channel.ts';
import type { MessageRow } from './tables.ts';

const seqList = z.array(z.int());

export function toMessage(row: MessageRow): ChannelMessage {
  return {
    _id: row.id,
    channelId: row.channelId,
    senderId: row.sender,
    content: row.content,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  };
}

/** What a message counts of its sender's storage, in bytes: each event that says its words holds them as well. */
export function storedBytesOf(row: Pick<MessageRow, 'content' | 'eventSeqs'>): number {
  return countedRowBytes + Buffer.byteLength(row.content) * eventSeqsOf(row).length;
}

/** The seqs of the channel's events that hold the message's words, that of its sending first. */
export function eventSeqsOf(row: Pick<MessageRow, 'eventSeqs'>): number[] {
  return seqList.parse(JSON.parse(row.eventSeqs));
}

/** As SQL: the place of a message in its channel's stream, as the index `messages_by_seq` has it. */
export const seqOfMessage = {
  sqlite: `json_extract(event_seqs, '$[0]')`,
  postgres: `CAST(substring(event_seqs FROM '[0-9]+') AS bigint)`,
};
