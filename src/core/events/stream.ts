import type { Owner } from '../schemas/owner.ts';

/** Names of the ordered logs of events. Clients keep one cursor per stream and treat the name as opaque. */
export const streamOf = {
  player: (gameId: string, wallet: string) => `player:${gameId}:${wallet}`,
  channel: (channelId: string) => `channel:${channelId}`,
  game: (gameId: string) => `game:${gameId}`,
  account: (wallet: string) => `account:${wallet}`,
};

/** The range of the names of all player streams of a game: `from <= name < to`. `;` is the character after `:`. */
export function playerStreamsOf(gameId: string): { from: string; to: string } {
  return { from: `player:${gameId}:`, to: `player:${gameId};` };
}

/**
 * Who may receive an event: players of a game, determined when the event occurred; all followers of the game; or one
 * player, in launchers and in the games that may see it.
 */
export type Audience =
  | {
      kind: 'players';
      gameId: string;
      wallets: readonly string[];
      /**
       * Players who block the author: they get only the new position of the stream, without the event. If they got
       * nothing, their clients would detect a gap and request the event again and again.
       */
      hiddenFrom?: readonly string[];
      /** Launchers do not show it: they get only the new position. */
      inGameOnly?: boolean;
    }
  | { kind: 'game'; gameId: string }
  | {
      kind: 'account';
      wallet: string;
      /**
       * The games of the other player it is about: those whose policy `friends` is `in-game` see it only there, and get
       * the new position of the stream elsewhere. Null: for launchers only.
       */
      inGames: readonly string[] | null;
    };

/** Sockets of all sessions of a game, or of every game (null), and with `launchers` those of launchers' own sessions. */
export interface SessionsAudience {
  kind: 'sessions';
  gameId: string | null;
  launchers: boolean;
}

/** An event to be written in the same transaction as the change that caused it. */
export interface NewEvent<Record extends object = object> {
  stream: string;
  name: string;
  record: Record;
  audience: Audience;
}

/**
 * A written event. `seq` counts from 1 without gaps within a stream; `epoch` changes when the history is replaced
 * (a restored backup), so that an old cursor is not mistaken for a current one.
 */
export interface EventText {
  stream: string;
  name: string;
  /** The record's JSON, as it is stored: it is sent on without being parsed (`recordIn` does that). */
  record: string;
  epoch: string;
  seq: number;
}

/** A written event with its place in the commit order and its audience. */
export interface StoredEvent extends EventText, EventPlace {
  /** The preceding event of its stream if that is in another lane; otherwise null. */
  after: EventPlace | null;
  audience: Audience;
}

/** The position of an event in the commit order of its lane. */
export interface EventPlace {
  /** The commit order that the event belongs to: an engine may write several concurrently. Never exposed to clients. */
  readonly lane: number;
  /** Its position in the lane, counted from 1. */
  readonly position: number;
}

/** The last event of a stream that a client has received. */
export interface Cursor {
  epoch: string;
  seq: number;
}

/** An ephemeral event, delivered at most once: not stored, numbered or replayed. */
export interface Signal<Record extends object = object> {
  name: string;
  record: Record;
  stream: string;
  audience: Audience | SessionsAudience;
  /**
   * Receivers are to read something: their record gets `spreadMs`, over which to spread the reads so that the server can
   * answer them.
   */
  spreadsReads?: boolean;
}

/** The second argument of every pushed event. */
export interface EventMeta {
  stream: string;
  epoch: string;
  seq: number;
  /** Set on a notification held until a launcher connected: it is older than the cursor and does not move it. */
  late?: true;
}

/** Whose events a socket receives: a player's in one game, or in every game for a launcher's own session. */
export interface Listener {
  wallet: string;
  /** Null: every game. */
  gameId: string | null;
  /** What its game may know of the player's friends; a launcher's own session knows all. Omitted: nothing. */
  friends?: FriendsPolicy;
}

/** What a game may know of its players' friends: nothing, those who are in the game, or all. */
export type FriendsPolicy = 'none' | 'in-game' | 'all';

/** The current position of a stream, as seen by a listener. */
export interface StreamPosition {
  stream: string;
  /** The seq of the last event; 0 when there is none. */
  seq: number;
  /** The oldest retained event. */
  firstSeq: number;
  /** Events up to this seq are not visible to the listener, who joined the message channel later. */
  since: number;
}

/** The player whose stream it is; null for other streams. */
export function ownerIn(stream: string): Owner | null {
  const [kind, gameId = '', wallet = ''] = stream.split(':');
  return kind === 'player' ? { gameId, wallet } : null;
}
