import type { Signal, StoredEvent } from '../core/events/stream.ts';

/** What nodes tell each other. */
export type BusMessage =
  | { kind: 'events'; events: readonly StoredEvent[] }
  | { kind: 'signal'; signal: Signal };

/**
 * The way from one node to the others. It may lose, repeat and reorder: events are refilled from the database
 * by their position, and signals may be lost. Sending never throws and never waits.
 */
export interface EventBus {
  send(message: BusMessage): void;
  onMessage(listener: (message: BusMessage) => void): void;
}
