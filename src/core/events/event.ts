import type { z } from 'zod';
import type { StreamEvent } from './stream.ts';

/** A kind of event or signal: its name, `'<service> <event>'` as Feathers names them, and its record's schema. */
export interface EventType<Name extends string = string, Schema extends z.ZodObject = z.ZodObject> {
  readonly name: Name;
  readonly record: Schema;
}

/** The record an event of a type carries. */
export type RecordOf<Type extends EventType> = z.infer<Type['record']>;

/** Declares an event or a signal, in the `events.ts` of its feature. `catalogue/events.ts` lists them all. */
export function defineEvent<const Name extends string, Schema extends z.ZodObject>(
  name: Name,
  record: Schema,
): EventType<Name, Schema> {
  return { name, record };
}

/** Whether a stored event is of a type; its record is then known to be that type's. */
export function isEvent<Type extends EventType>(
  event: StreamEvent,
  type: Type,
): event is StreamEvent<RecordOf<Type>> {
  return event.name === type.name;
}
