/** The name of an ordered log of events. Clients keep one cursor a stream; the text itself is opaque to them. */
export const streamOf = {
  player: (gameId: string, wallet: string) => `player:${gameId}:${wallet}`,
  channel: (channelId: string) => `channel:${channelId}`,
  game: (gameId: string) => `game:${gameId}`,
};

/** The names of the streams of a game's players: from `from` on, before `to`. `;` is the character after `:`. */
export function playerStreamsOf(gameId: string): { from: string; to: string } {
  return { from: `player:${gameId}:`, to: `player:${gameId};` };
}

/** Who may hear an event: players of a game, settled when the event happened, or whoever follows the game. */
export type Audience =
  | { kind: 'players'; gameId: string; wallets: readonly string[] }
  | { kind: 'game'; gameId: string };

/** An event about to be written with the change that caused it. */
export interface NewEvent<Record extends object = object> {
  stream: string;
  name: string;
  record: Record;
  audience: Audience;
}

/**
 * An event as it was written. `seq` counts from 1 without gaps within a stream; `epoch` changes when a
 * stream's history was replaced (a restored backup), so that an old cursor is not mistaken for a current one.
 */
export interface StreamEvent<Record extends object = object> {
  stream: string;
  name: string;
  record: Record;
  epoch: string;
  seq: number;
  /** Which order of commits it has its place in: an engine may write several side by side. Never shown to clients. */
  lane: number;
  /** Its place in the lane, counted from 1. */
  position: number;
  /** The event before it in its stream, where that one is of another lane; else null. */
  after: EventPlace | null;
}

/** Likewise, with who may hear it. */
export interface StoredEvent<Record extends object = object> extends StreamEvent<Record> {
  audience: Audience;
}

/** Where an event stands in the order of commits. */
export interface EventPlace {
  readonly lane: number;
  readonly position: number;
}

/** How far a client has heard a stream. */
export interface Cursor {
  epoch: string;
  seq: number;
}

/** What is told at once or never: not stored, not numbered, not repeated. */
export interface Signal<Record extends object = object> {
  name: string;
  record: Record;
  stream: string;
  audience: Audience;
}

/** The second argument of every pushed event. */
export interface EventMeta {
  stream: string;
  epoch: string;
  seq: number;
  /** Set on a notification that waited for a launcher: it is older than the cursor, and does not move it. */
  late?: true;
}

/** Whose events a socket hears: a player's in one game, or (a launcher's own session) in every game. */
export interface Listener {
  wallet: string;
  /** Null: every game. */
  gameId: string | null;
}

/** How far a stream has come, for a listener. */
export interface StreamPosition {
  stream: string;
  /** The last event's; 0 before the first. */
  seq: number;
  /** The oldest event kept. */
  firstSeq: number;
  /** Events up to here are not for this listener: it joined the message channel later. */
  since: number;
}
