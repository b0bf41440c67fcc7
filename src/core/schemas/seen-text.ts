import { z } from 'zod';
import { innerSchema } from './inner-schema.ts';

/**
 * How the word filter of a game treats a field that other players see:
 * - `text`: rejected, or stored and sent with asterisks, as the game's policy says
 * - `name`: always rejected, and so are hidden characters (`names.ts`)
 * - `data`: a JSON object, whose strings are treated as `text` and whose keys as `name`
 */
export type SeenAs = 'text' | 'name' | 'data';

/** A field of a player's that other players see: live, in a list, or on a board. An empty text is not seen. */
export interface Seen {
  as: SeenAs;
  /**
   * Where a mute is checked, always in the transaction of the write: `call`, a mute in the game refuses the call, which
   * needs nothing from its command; `command`, the command itself decides, since it knows the channel or the row.
   */
  mute: 'call' | 'command';
  /** Whether others see the field, by the object that has it; left out: always. */
  when?(holder: Readonly<Record<string, unknown>>): boolean;
}

/**
 * Why other players never see a field as a player's text:
 * - `id`: it names a record or its version, a wallet or a place, or is the caller's own identifier for one, which clients
 *   compare and do not show. Filtering these would refuse random ids
 * - `choice`: it must be one of the texts or numbers that the game or its administrators have set
 * - `secret`: a token or signature, or what is kept as a hash
 * - `own`: only the player reads it
 * - `staff`: only moderators, administrators or the game's server read it
 * - `game`: the game's server wrote it
 * - `data`: data of the game, which only its code reads
 * - `elsewhere`: another declaration or the place that shows it decides
 */
export type Unseen = 'id' | 'choice' | 'secret' | 'own' | 'staff' | 'game' | 'data' | 'elsewhere';

const registry = z.registry<{ seen: Seen } | { unseen: Unseen }>();

/**
 * Declares that other players see what players put into this field. From this follow the word filter, the check for
 * mutes, the table in the manual, and the tests of all of them.
 */
export function seenByOthers<S extends z.ZodType>(schema: S, seen: Seen): S {
  return declared(schema, { seen });
}

/** Declares that they do not, and why. */
export function notSeen<S extends z.ZodType>(schema: S, unseen: Unseen): S {
  return declared(schema, { unseen });
}

/** A clone: several fields may have the same schema, and be seen differently. */
function declared<S extends z.ZodType>(schema: S, as: { seen: Seen } | { unseen: Unseen }): S {
  const clone = schema.clone();
  registry.add(clone, as);
  return clone;
}

/**
 * Whether a field names a record, a wallet, a place or a choice. If it is optional, leaving it out changes what a call
 * applies to.
 */
export function isName(schema: z.core.$ZodType): boolean {
  const declaration = declarationOf(schema);
  return declaration !== null && 'unseen' in declaration && ['id', 'choice'].includes(declaration.unseen);
}

/** What is declared about a field, not what is in it; the outermost counts: an operation may declare more. */
function declarationOf(schema: z.core.$ZodType): { seen: Seen } | { unseen: Unseen } | null {
  for (let at: z.core.$ZodType | null = schema; at; at = innerSchema(at)) {
    const declaration = registry.get(at);
    if (declaration) return declaration;
  }
  return null;
}

/** A field that other players see. */
export interface SeenField extends Seen {
  /** `*`: each element of a list. */
  path: readonly string[];
}

/** The fields of an input that may hold text. */
export interface TextFields {
  seen: SeenField[];
  /** The paths of fields that may hold any text, and for which nothing is declared. */
  undeclared: (readonly string[])[];
}

export function textFieldsOf(schema: z.core.$ZodType): TextFields {
  const found: TextFields = { seen: [], undeclared: [] };
  collect(schema, [], found);
  return found;
}

function collect(schema: z.core.$ZodType, path: readonly string[], found: TextFields): void {
  const declaration = declarationOf(schema);
  if (!declaration) collectInner(innermostOf(schema), path, found);
  else if ('seen' in declaration) found.seen.push({ ...declaration.seen, path });
}

function innermostOf(schema: z.core.$ZodType): z.core.$ZodType {
  const inner = innerSchema(schema);
  return inner ? innermostOf(inner) : schema;
}

function collectInner(schema: z.core.$ZodType, path: readonly string[], found: TextFields): void {
  if (schema instanceof z.ZodObject) {
    for (const [name, field] of Object.entries(schema.shape)) {
      collect(field as z.core.$ZodType, [...path, name], found);
    }
  } else if (schema instanceof z.ZodArray) collect(schema.element as z.core.$ZodType, [...path, '*'], found);
  else if (schema instanceof z.ZodUnion) {
    for (const option of schema.options) collect(option as z.core.$ZodType, path, found);
  } else if (!textless.some((kind) => schema instanceof kind)) found.undeclared.push(path);
}

/** Kinds of schemas whose values are no free text. */
const textless = [
  z.ZodNumber,
  z.ZodBoolean,
  z.ZodEnum,
  z.ZodLiteral,
  z.ZodNull,
  z.ZodUndefined,
  z.ZodNever,
] as const;
