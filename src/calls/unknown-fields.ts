import type { z } from 'zod';
import { type FieldError, GantryError } from '../core/errors.ts';
import { nearestName } from '../core/nearest-name.ts';
import { isName } from '../core/schemas/seen-text.ts';
import { isNamed } from '../features/games/require-game.ts';
import { type AnyOperation, takesToken } from '../features/operation.ts';
import type { Authenticated } from './auth/authenticator.ts';

/** A field of a call that its operation does not know. */
export interface UnknownField {
  /** Empty for a name that may be a secret: responses and logs do not repeat it. */
  field: string;
  /** The field that is probably meant. */
  nearest: string | undefined;
}

/**
 * Finds unknown fields in an input, at most ten. An operation with an optional field that names what it applies to (a
 * player, a game, a leaderboard, a version) refuses them: if such a field is misspelled, the call would apply to something
 * else, such as the caller instead of the player to remove. Other operations ignore them, and they are returned, to be reported.
 * Null counts as omitted, and so do the caller's own game and wallet, which many clients send with every call.
 * @throws GantryError `input_invalid`
 */
export function checkUnknownFields(
  operation: AnyOperation,
  schema: z.ZodObject,
  input: Readonly<Record<string, unknown>>,
  authenticated: Pick<Authenticated, 'caller' | 'game'>,
): readonly UnknownField[] {
  const known = knownFields(operation, schema);
  let found: UnknownField[] | undefined;
  for (const name in input) {
    if (known.has(name) || input[name] === null || input[name] === undefined) continue;
    if (isCallersOwn(name, input[name], authenticated)) continue;
    found ??= [];
    const isShown = fieldName.test(name);
    const nearest = isShown ? nearestName(name, Object.keys(schema.shape)) : undefined;
    found.push({ field: isShown ? name : '', nearest });
    if (found.length === maxFound) break;
  }
  if (!found) return none;
  if (namesOptionally(schema)) throw refusalOf(found, operation, schema);
  return found;
}

const none: readonly UnknownField[] = [];
const maxFound = 10;

function refusalOf(found: readonly UnknownField[], { name }: AnyOperation, schema: z.ZodObject): GantryError {
  const accepted = Object.keys(schema.shape).join(', ');
  const fields: FieldError[] = found.map(({ field, nearest }) => ({
    path: field,
    message: `is not a field of ${name}, which takes ${accepted}${nearest === undefined ? '' : `; did you mean ${nearest}?`}`,
  }));
  const message = fields.map(({ path, message: why }) => `${path || 'A name'}: ${why}`).join('; ');
  return new GantryError('input_invalid', message, { fields });
}

/** The message about a field that was ignored. */
export function describeIgnored({ name }: AnyOperation, { field, nearest }: UnknownField): string {
  const ignored = `${field || 'A field'} is not a field of ${name} and was ignored`;
  return nearest === undefined ? ignored : `${ignored}; did you mean ${nearest}?`;
}

/** Whether a field only repeats what the token says. */
function isCallersOwn(
  name: string,
  value: unknown,
  { caller, game }: Pick<Authenticated, 'caller' | 'game'>,
): boolean {
  if (name === 'gameId') return game !== null && isNamed(game, value);
  if (!walletNames.has(name) || caller === null || !('wallet' in caller)) return false;
  return typeof value === 'string' && value.toLowerCase() === caller.wallet;
}

const walletNames = new Set(['wallet', 'walletAddress', 'normalizedAddress']);

const fieldName = /^[a-z_]\w{0,29}$/i;

const naming = new WeakMap<z.ZodObject, boolean>();

/** Whether an input has an optional field that names something. */
export function namesOptionally(schema: z.ZodObject): boolean {
  const found = naming.get(schema);
  if (found !== undefined) return found;
  const fields: z.ZodType[] = Object.values(schema.shape);
  const names = fields.some((field) => isName(field) && field.safeParse(undefined).success);
  naming.set(schema, names);
  return names;
}

const known = new WeakMap<z.ZodObject, ReadonlySet<string>>();

/** An input's own fields, those that any call may have, and those that are refused elsewhere, unless they are empty. */
function knownFields(operation: AnyOperation, schema: z.ZodObject): ReadonlySet<string> {
  const found = known.get(schema);
  if (found) return found;
  const isForAdmin = operation.auth === 'admin';
  const fields = new Set([
    ...Object.keys(schema.shape),
    ...Object.keys(operation.unsupportedField ?? {}),
    ...(isForAdmin ? [] : ['launcherJwt', 'idempotencyKey', 'asNames']),
    ...(isForAdmin || takesToken(operation) ? [] : ['wallet']), // which a game's server may send with every call
  ]);
  known.set(schema, fields);
  return fields;
}
