import type { Cursor } from './cursors.ts';
import type { Player } from './player.ts';

/** A call that has not been answered. */
export interface QueuedCall {
  operation: string;
  input: Record<string, unknown>;
  /** Sent with every attempt, so that the server executes it once. */
  idempotencyKey: string;
  /** When it was queued, in Unix milliseconds. */
  queuedAt: number;
  /** Whether it may have reached the server already. */
  isSent?: true;
  /** When it was first sent and not refused, in Unix milliseconds. */
  sentAt?: number;
}

/** What a client persists across restarts of the game: plain data, to be stored as JSON. */
export interface Saved {
  /** The position in every stream: later events are replayed. */
  cursors?: Record<string, Cursor>;
  /** The ids of handled notifications, which the server may deliver again. */
  notifications?: string[];
  /** The queued calls that have not been answered. */
  queue?: QueuedCall[];
  /** A guest's secret, which authenticates the player. */
  deviceSecret?: string;
  /** The player's address. */
  wallet?: string;
  /** The player's id, which a guest keeps who gets a wallet. */
  userId?: string;
  /** The player's session, and when it ends, in Unix milliseconds. */
  session?: { launcherJwt: string; expiresAt: number };
  /** The same of a player whom a launcher has signed in, beside the one of this device. */
  launcher?: SavedPart;
  /** The same of the player who was signed in on this device before another one signed in. */
  previous?: SavedPart;
}

type SavedPart = Pick<Saved, 'wallet' | 'userId' | 'cursors' | 'notifications' | 'queue'>;

/** Persists a client's data across restarts of the game. Each player needs a separate store. */
export interface Store {
  /** Called at the start, and before each save: another page of the game may have stored queued calls meanwhile. */
  load(): Saved | null | undefined;
  /** Called after listeners have handled events, at most a few times a second, and at once when the queue changes. */
  save(saved: Saved): void;
}

/** Whether this was saved for the player, perhaps before the player got a wallet. */
export function isSavedFor({ wallet, userId }: SavedPart, player: Player): boolean {
  return wallet === player.wallet || (userId !== undefined && userId === player.userId);
}

/** What is saved for a player who has signed in on this device; what is saved for another one is set aside. */
export function savedFor(saved: Saved, player: Player): Saved {
  if (saved.wallet === undefined || isSavedFor(saved, player)) return saved;
  const { wallet, userId, cursors, notifications, queue, session, previous, ...rest } = saved;
  const own = previous && isSavedFor(previous, player) ? previous : {};
  return { ...rest, ...own, previous: { wallet, userId, cursors, notifications, queue } as SavedPart };
}

/** The part of a store for the player whom a launcher has signed in; another launcher's player replaces it. */
export function launcherStore(store: Store, player: Player): Store {
  return {
    load() {
      const { launcher } = store.load() ?? {};
      return launcher && isSavedFor(launcher, player) ? launcher : { wallet: player.wallet };
    },
    save({ wallet, userId, cursors, notifications, queue }) {
      const launcher = { wallet, userId, cursors, notifications, queue } as SavedPart;
      store.save({ ...store.load(), launcher });
    },
  };
}

/** A store in the browser's `localStorage`, which pages of the same origin share. */
export function localStorageStore(key: string): Store {
  return {
    load() {
      try {
        return JSON.parse(localStorage.getItem(key) ?? 'null');
      } catch (error) {
        throw new Error(`The player who is saved in localStorage under ${key} cannot be read: ${error}`);
      }
    },
    save: (saved) => localStorage.setItem(key, JSON.stringify(saved)),
  };
}
