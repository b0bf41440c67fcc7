/** How long a heartbeat keeps a channel session present, in milliseconds (DESIGN.md "Channel sessions"). */
export const heartbeatLifetimeMs = 3 * 60 * 1000;

/**
 * Which channel sessions have someone there: a live socket, or a heartbeat not older than
 * `heartbeatLifetimeMs`. Presence is never durable and may lag; nothing but what is shown depends on it.
 */
export interface Presence {
  /** A socket of the session has connected. */
  connected(sessionId: string, socketId: string): Promise<void>;
  /** That socket is gone. Unknown sockets are ignored. */
  disconnected(sessionId: string, socketId: string): Promise<void>;
  heartbeat(sessionId: string): Promise<void>;
  isPresent(sessionId: string): Promise<boolean>;
  close(): Promise<void>;
}
