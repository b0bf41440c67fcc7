import type { StoredEvent } from '../../src/core/events/stream.ts';

/** A stored event with its record parsed. */
export interface ParsedEvent extends Omit<StoredEvent, 'record'> {
  record: object;
}

export function parsed(events: readonly StoredEvent[]): ParsedEvent[] {
  return events.map((event) => ({ ...event, record: JSON.parse(event.record) }));
}
