import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { type MessageChannel, may, type Permission, permission } from './message-channel.ts';
import type { FormerParticipantRow, MessageChannelRow, ParticipantRow } from './tables.ts';

const permissionList = z.array(permission);

/**
 * By their text: all participants have one of a few lists, and parsing one for every message takes long. The text serves
 * reads too, which see new rows each time.
 */
const parsed = new LRUCache<string, { permissions: Permission[] }>({ max: 100 });

/** What callers are told of a channel's row. `participantsKey` is long, and the number of messages is told with them. */
export type DescribedChannelRow = Omit<MessageChannelRow, 'participantsKey' | 'messageCount'>;

/** Whether a participant holds a permission. */
export function rowMay(row: Pick<ParticipantRow, 'permissions'>, wanted: Permission): boolean {
  return may(parse(row.permissions), wanted);
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

/** The key under which the channel of exactly these participants is found, in whatever order they are given. */
export function participantsKeyOf(wallets: readonly string[]): string {
  return wallets.toSorted().join(',');
}

/** More stays in a channel than are kept of a player. */
export const maxStays = 1_000;

/** A part of a channel's stream: behind `after`, up to `upTo`. */
export interface Span {
  after: number;
  upTo: number;
}

/** When someone who is in the channel since `joinedSeq` was not in it any more, oldest first. */
export function absencesBetween(stays: readonly FormerParticipantRow[], joinedSeq: number): Span[] {
  const known = stays.filter(isRecorded);
  return known.map(({ leftSeq }, at) => ({ after: leftSeq, upTo: known[at + 1]?.joinedSeq ?? joinedSeq }));
}

/** Whether a stay says when it was; those of before that was recorded say only that there was one. */
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
