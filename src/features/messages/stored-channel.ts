import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { hasPermission, type MessageChannel, type Permission, permission } from './message-channel.ts';
import type { FormerParticipantRow, MessageChannelRow, ParticipantRow } from './tables.ts';

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
