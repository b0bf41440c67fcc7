import type { Cursor } from './cursors.ts';

/** A call that waits for the server. */
export interface QueuedCall {
  operation: string;
  input: Record<string, unknown>;
  /** Sent with every attempt, so that the server carries it out once. */
  idempotencyKey: string;
  /** When it was queued, in Unix milliseconds. */
  queuedAt: number;
  /** Whether it may have reached the server already. */
  isSent?: true;
}

/** What a client keeps over a restart of the game: plain data, to be written as JSON. */
export interface Saved {
  /** The position in every stream: what has happened since is replayed. */
  cursors?: Record<string, Cursor>;
  /** Notifications that were handled: the server may tell of them again. */
  notifications?: string[];
  /** Calls that no answer has come to. */
  queue?: QueuedCall[];
  /** Of a guest: who has it is the player. */
  deviceSecret?: string;
}

/** Where a game keeps what its client needs over a restart: one for each player, since nothing of it is another player's. */
export interface Store {
  load(): Saved | null | undefined;
  /** Called when listeners have handled an event, a few times a second at most, and with every queued call. */
  save(saved: Saved): void;
}

/** A store in the browser's `localStorage`, of pages of this origin. */
export function localStorageStore(key: string): Store {
  return {
    load: () => JSON.parse(localStorage.getItem(key) ?? 'null'),
    save: (saved) => localStorage.setItem(key, JSON.stringify(saved)),
  };
}
