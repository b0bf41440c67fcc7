import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import type { Steps, Tx } from '../../core/storage/command.ts';
import { addStorageUse, rowOverheadBytes } from '../storage-quota/game-storage.ts';
import { storageUse } from '../storage-quota/tables.ts';
import {
  type ChannelMessage,
  hasPermission,
  type MessageChannel,
  type Permission,
  permission,
} from './message-channel.ts';
import { maxReactions } from './reaction.ts';
import {
  type FormerParticipantRow,
  type MessageChannelRow,
  type MessageRow,
  messageReactions,
  type ParticipantRow,
} from './tables.ts';

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

const permissionList = z.array(permission);

/**
 * Keyed by the JSON text: participants share a few distinct lists, and parsing one per message would be slow. Keying by
 * row would not help reads, which load new row objects each time.
 */
const parsed = new LRUCache<string, { permissions: Permission[] }>({ max: 100 });

/**
 * The columns of a channel needed to describe it. `participantsKey` is long, and the message count is reported with the
 * messages.
 */
export type DescribedChannelRow = Omit<MessageChannelRow, 'participantsKey' | 'messageCount'>;

/** Whether a participant has a permission. */
export function rowHasPermission(row: Pick<ParticipantRow, 'permissions'>, wanted: Permission): boolean {
  return hasPermission(parse(row.permissions), wanted);
}

export function toChannel(row: DescribedChannelRow, members: readonly ParticipantRow[]): MessageChannel {
  return {
    _id: row.id,
    name: row.name,
    chatPicture: row.chatPicture,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
    participants: members.map(({ wallet, userGroup, permissions }) => ({
      wallet,
      userGroup,
      permissions: [...parse(permissions).permissions],
    })),
    gameId: row.gameId,
  };
}

/** The key of the channel with exactly these participants; independent of their order. */
export function participantsKeyOf(wallets: readonly string[]): string {
  return wallets.toSorted().join(',');
}

/** Exceeds the number of stays kept per player and channel. */
export const maxStays = 1_000;

/** A range of seqs in a channel's stream: `after` exclusive, `upTo` inclusive. */
export interface Span {
  after: number;
  upTo: number;
}

/** The absences of a member who last joined at `joinedSeq`, oldest first. */
export function absencesBetween(stays: readonly FormerParticipantRow[], joinedSeq: number): Span[] {
  const known = stays.filter(isRecorded);
  return known.map(({ leftSeq }, at) => ({ after: leftSeq, upTo: known[at + 1]?.joinedSeq ?? joinedSeq }));
}

/** Whether a stay's range was recorded: old rows only say that there was one. */
export function isRecorded({ leftSeq }: FormerParticipantRow): boolean {
  return leftSeq > 0;
}

function parse(text: string): { permissions: Permission[] } {
  let known = parsed.get(text);
  if (!known) {
    known = { permissions: permissionList.parse(JSON.parse(text)) };
    parsed.set(text, known);
  }
  return known;
}

/**
 * Removes the reactions to a deleted message from storage and from their players' quotas. Its channel must be locked.
 */
export function* removeReactionsTo(tx: Tx, { id }: MessageRow, gameId: string): Steps<void> {
  const rows = yield* tx.list(messageReactions.byMessage, [id], { limit: maxReactions });
  for (const row of rows) tx.remove(messageReactions, row);
  const byWallet = Map.groupBy(rows, ({ wallet }) => wallet);
  const wallets = [...byWallet.keys()].toSorted();
  yield* tx.all(...wallets.map((wallet) => tx.lock(storageUse, [gameId, wallet])));
  for (const wallet of wallets) {
    const bytes = (byWallet.get(wallet)?.length ?? 0) * rowOverheadBytes;
    yield* addStorageUse(tx, { gameId, wallet }, -bytes);
  }
}
