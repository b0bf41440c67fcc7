/** How long a heartbeat keeps a channel session present, in milliseconds (DESIGN.md "Channel sessions"). */
export const heartbeatLifetimeMs = 3 * 60 * 1000;

/**
 * Which channel sessions have someone there: a live socket on any node, or a heartbeat not older than
 * `heartbeatLifetimeMs`. Presence is never durable and may lag; nothing but what is shown depends on it.
 *
 * The promises tell of changes, each to exactly one caller in the cluster, so that each is announced once.
 */
export interface Presence {
  /** A socket of the session has connected to this node. True when nobody was there before. */
  connected(sessionId: string, socketId: string): Promise<boolean>;
  /** That socket is gone. True when nobody is there any more. Unknown sockets are ignored. */
  disconnected(sessionId: string, socketId: string): Promise<boolean>;
  /** True when nobody was there before. */
  heartbeat(sessionId: string): Promise<boolean>;
  isPresent(sessionId: string): Promise<boolean>;
  /** How many sessions have someone there. */
  count(): Promise<number>;
  /** Whether `isPresent` knows of all nodes right now, and not only of this one. */
  isComplete(): boolean;
  /**
   * Calls the listener with changes that no call tells of: nobody is there any more because a heartbeat lapsed
   * or a node died, or someone is after all, on a node that had been given up.
   */
  onChange(listener: (sessionId: string, present: boolean) => void): void;
  close(): Promise<void>;
}
