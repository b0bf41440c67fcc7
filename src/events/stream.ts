import type { EventName, EventRecord, SignalName, SignalRecord } from './catalogue.ts';

/** The name of an ordered log of events. Clients keep one cursor a stream; the text itself is opaque to them. */
export const streamOf = {
  player: (gameId: string, wallet: string) => `player:${gameId}:${wallet}`,
  channel: (channelId: string) => `channel:${channelId}`,
  game: (gameId: string) => `game:${gameId}`,
};

/** Who may hear an event: players of a game, settled when the event happened, or whoever follows the game. */
export type Audience =
  | { kind: 'players'; gameId: string; wallets: readonly string[] }
  | { kind: 'game'; gameId: string };

/** An event about to be written with the change that caused it. */
export interface NewEvent<Name extends EventName = EventName> {
  stream: string;
  name: Name;
  record: EventRecord<Name>;
  audience: Audience;
}

/**
 * An event as it was written. `seq` counts from 1 without gaps within a stream; `epoch` changes when a
 * stream's history was replaced (a restored backup), so that an old cursor is not mistaken for a current one.
 */
export interface StoredEvent<Name extends EventName = EventName> extends NewEvent<Name> {
  epoch: string;
  seq: number;
  /** Its place in the order of commits over all streams; never shown to clients. */
  position: number;
}

/** How far a client has heard a stream. */
export interface Cursor {
  epoch: string;
  seq: number;
}

/** What is told at once or never: not stored, not numbered, not repeated. */
export interface Signal<Name extends SignalName = SignalName> {
  name: Name;
  record: SignalRecord<Name>;
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
