import type { z } from 'zod';
import type { EventText } from './stream.ts';

/** A type of event or signal: its name in Feathers' form `'<service> <event>'`, and its record's schema. */
export interface EventType<Name extends string = string, Schema extends z.ZodObject = z.ZodObject> {
  readonly name: Name;
  readonly record: Schema;
}

/** The record an event of a type carries. */
export type RecordOf<Type extends EventType> = z.infer<Type['record']>;

/** Declares an event or a signal, in the `events.ts` of its feature. `server/declarations/events.ts` lists them all. */
export function defineEvent<const Name extends string, Schema extends z.ZodObject>(
  name: Name,
  record: Schema,
): EventType<Name, Schema> {
  return { name, record };
}

/** Parses the record of a written event if it is of this type; null if it is of another. */
export function recordIn<Type extends EventType>(
  { name, record }: Pick<EventText, 'name' | 'record'>,
  type: Type,
): RecordOf<Type> | null {
  return name === type.name ? JSON.parse(record) : null;
}
