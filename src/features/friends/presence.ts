import { z } from 'zod';
import type { RichPresence, VisiblePlayer } from '../../cluster/players/player-part.ts';
import { id, normalizedAddress, text, timestamp } from '../../core/schemas/fields.ts';
import { notSeen, seenByOthers } from '../../core/schemas/seen-text.ts';
import { connectText } from './invite.ts';
import type { BlockingFriend } from './queries.ts';

const chosenStatus = z
  .enum(['online', 'away', 'busy', 'invisible'])
  .meta({ description: '`invisible`: friends see the player as offline' });

/** A status that a launcher sets; also `auth.status` of its handshake. */
export const statusInput = z.object({
  status: chosenStatus,
  text: seenByOthers(text(0, 100), { as: 'text', mute: 'command' })
    .default('')
    .meta({ description: 'Shown to friends' }),
  ageMs: z.int().min(0).default(0).meta({
    description: 'How long ago the player chose it, when it is set again; a later choice then stays',
  }),
});
type Status = z.output<typeof statusInput>;

/** The status that a player has chosen, which only the player's own launchers are told as it is. */
export const ownStatus = z
  .object({
    status: chosenStatus,
    text: z.string().meta({ description: "The player's own words about it" }),
  })
  .meta({ id: 'OwnStatus' });
export type OwnStatus = z.infer<typeof ownStatus>;

const maxValues = 20;

const values = z
  .record(text(1, 32), text(0, 128))
  .refine((pairs) => Object.keys(pairs).length <= maxValues, `must have at most ${maxValues} values`);

const groupSize = z.int().min(1).max(1_000_000);
const group = z
  .object({
    id: notSeen(text(1, 64), 'data').meta({ description: 'The same for all of its members' }),
    size: groupSize,
    max: groupSize,
  })
  .meta({ id: 'PresenceGroup' });

/** What a game says about a player in it; empty fields say nothing. */
export const richPresenceInput = z.object({
  details: seenByOthers(text(0, 128), { as: 'text', mute: 'command' })
    .default('')
    .meta({ description: 'What the player is doing in the game; shown to friends' }),
  values: notSeen(values, 'data')
    .default({})
    .meta({ description: 'Up to 20 values for sessions of the same game' }),
  group: group
    .nullable()
    .default(null)
    .meta({ description: 'The group that the player plays in; a full one cannot be joined' }),
  connect: connectText
    .default('')
    .meta({ description: 'What the game needs to join the player; given only to a friend who joins' }),
});

/** What a player sees of a friend. */
export const friendPresence = z
  .object({
    wallet: normalizedAddress,
    status: z.enum(['online', 'away', 'busy', 'offline']),
    since: timestamp.meta({ description: 'When the friend got this status (Unix time in milliseconds)' }),
    text: z.exactOptional(z.string()).meta({ description: "The friend's own words about the status" }),
    gameId: z.exactOptional(id).meta({ description: 'The game that the friend has open' }),
    gameName: z.exactOptional(z.string()),
    details: z.exactOptional(z.string()),
    values: z
      .exactOptional(z.record(z.string(), z.string()))
      .meta({ description: 'Only in sessions of the same game' }),
    group: z.exactOptional(group),
    joinable: z.boolean().meta({ description: 'Whether `joinFriend` answers how to join the friend' }),
  })
  .meta({ id: 'FriendPresence' });
export type FriendPresence = z.infer<typeof friendPresence>;

/**
 * What a session sees of a friend; `gameId` is the session's game, null for a launcher's. `player` is null when the
 * friend is offline, or must not be seen; `now` is when that is told. `isBlocked`: the friend blocks the session's player
 * in the game that the friend has open. That looks as if the friend's game let nobody join.
 */
export function toFriendPresence(
  wallet: string,
  player: VisiblePlayer | null,
  { gameId, now, isBlocked }: { gameId: string | null; now: number; isBlocked: boolean },
): FriendPresence {
  if (!player) return { wallet, status: 'offline', since: now, joinable: false };
  const { status, since, text, game, rich } = player;
  return {
    wallet,
    status,
    since,
    ...(text !== '' && { text }),
    ...(game && { gameId: game.id, gameName: game.name }),
    ...(rich && {
      ...(rich.details !== '' && { details: rich.details }),
      ...(game?.id === gameId && Object.keys(rich.values).length > 0 && { values: rich.values }),
      ...(rich.group && { group: rich.group }),
    }),
    joinable: !isBlocked && joinTargetOf(player) !== null,
  };
}

/** The game to open to join a player, and what it needs for that; null: the player cannot be joined. */
export function joinTargetOf(player: VisiblePlayer | null): { gameId: string; connect: string } | null {
  const { game, rich } = player ?? {};
  if (!game || !rich || rich.connect === '') return null;
  if (rich.group && rich.group.size >= rich.group.max) return null;
  return { gameId: game.id, connect: rich.connect };
}

/** Whom a session may see: of these friends, only those in `visible`, and who has its game open; null: all. */
export interface FriendsToFollow {
  friends: readonly string[];
  visible: ReadonlySet<string> | null;
  /** Those who block the player in a game. */
  blocking: readonly BlockingFriend[];
}

/** What following begins with. */
export interface FollowedPresence {
  /** Friends who are not offline. */
  friends: FriendPresence[];
  /** Only for a launcher. */
  own?: OwnStatus;
}

/** The presence of the player whose session a connection belongs to. */
export interface OwnPresence {
  /** Resolves once it is known to all nodes, so that it survives a crash of this one. */
  setStatus(status: Status): Promise<void>;
  /** The game that the connection has open; null: none. */
  setCurrentGame(game: { id: string; name: string } | null): void;
  /** What the connection's game says about the player; null: nothing. */
  setRichPresence(rich: RichPresence | null): void;
  /** Follows the player's friends. Changes that happen while `read` runs are not missed. */
  follow(read: () => Promise<FriendsToFollow>): Promise<FollowedPresence>;
  unfollow(): void;
}

/** The live connection of a call. */
export interface PresenceConnection {
  /** Null: the connection belongs to another session, or to none. */
  presenceOf(sessionId: string): OwnPresence | null;
}
