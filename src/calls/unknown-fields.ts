import type { z } from 'zod';
import { type FieldError, GantryError } from '../core/errors.ts';
import { isName } from '../core/schemas/seen-text.ts';
import { type AnyOperation, takesToken } from '../features/operation.ts';
import type { Authenticated } from './auth/authenticator.ts';

/**
 * Refuses unknown fields in the input of an operation with an optional field that names what it applies to: a player, a
 * game, a leaderboard, a version. If such a field is misspelled, the call would apply to something else, such as the
 * caller instead of the player to remove. Other operations ignore unknown fields. Null counts as omitted, and so do the
 * caller's own game and wallet, which many clients send with every call.
 * @throws GantryError `input_invalid`
 */
export function refuseUnknownFields(
  operation: AnyOperation,
  schema: z.ZodObject,
  input: Readonly<Record<string, unknown>>,
  authenticated: Pick<Authenticated, 'caller' | 'game'>,
): void {
  if (!namesOptionally(schema)) return;
  const known = knownFields(operation, schema);
  const fields: FieldError[] = [];
  for (const name in input) {
    if (known.has(name) || input[name] === null || input[name] === undefined) continue;
    if (isCallersOwn(name, input[name], authenticated)) continue;
    const accepted = Object.keys(schema.shape).join(', ');
    // Responses and logs do not repeat a secret that was sent as a name.
    const path = fieldName.test(name) ? name : '';
    fields.push({ path, message: `is not a field of ${operation.name}, which takes ${accepted}` });
  }
  if (fields.length === 0) return;
  const message = fields.map(({ path, message: why }) => `${path || 'A name'}: ${why}`).join('; ');
  throw new GantryError('input_invalid', message, { fields });
}

/** Whether a field only repeats what the token says. */
function isCallersOwn(
  name: string,
  value: unknown,
  { caller, game }: Pick<Authenticated, 'caller' | 'game'>,
): boolean {
  if (name === 'gameId') return game !== null && value === game.id;
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
