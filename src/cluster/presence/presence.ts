/** How long a heartbeat keeps a channel session present, in milliseconds (DESIGN.md "Channel sessions"). */
export const heartbeatLifetimeMs = 3 * 60 * 1000;

/**
 * Which channel sessions are present: those with a live socket on any node, or a heartbeat within
 * `heartbeatLifetimeMs`. Presence is never durable and may lag; only what is displayed depends on it.
 *
 * The methods report each change to exactly one caller in the cluster, so that it is announced once.
 */
export interface Presence {
  /** A socket of the session has connected to this node. True if the session was not present before. */
  connected(sessionId: string, socketId: string): Promise<boolean>;
  /** A socket has disconnected. True if the session is no longer present. Unknown sockets are ignored. */
  disconnected(sessionId: string, socketId: string): Promise<boolean>;
  /** True if the session was not present before. */
  heartbeat(sessionId: string): Promise<boolean>;
  isPresent(sessionId: string): Promise<boolean>;
  /** How many sessions are present. */
  count(): Promise<number>;
  /** Whether `isPresent` currently covers all nodes, and not only this one. */
  isComplete(): boolean;
  /**
   * Calls the listener with changes that no call reports: a session is no longer present because a heartbeat expired or
   * a node died, or is present again on a node whose leases had expired.
   */
  onChange(listener: (sessionId: string, present: boolean) => void): void;
  close(): Promise<void>;
}
