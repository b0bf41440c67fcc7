import type { z } from 'zod';
import { type FieldError, GantryError, invalidField } from '../core/errors.ts';
import { type AdminRole, describeRoles } from '../core/schemas/admin-role.ts';
import { describeIssue } from '../core/schemas/describe-issue.ts';
import { reasonOf } from '../core/schemas/field-reason.ts';
import { isEmpty } from '../core/schemas/unsupported-field.ts';
import type { AnyOperation, Callers } from '../features/operation.ts';
import type { Authenticated } from './auth/authenticator.ts';

/** @throws GantryError `server_only` when the game restricts the operation to its server and the caller is not it */
export function refuseServerOnly(
  { name, serverOnlyWith = name }: AnyOperation,
  { game, hasSecret }: Authenticated,
): void {
  const serverOnly: readonly string[] | undefined = game?.policies.serverOnly;
  if (hasSecret || !serverOnly?.includes(serverOnlyWith)) return;
  throw new GantryError(
    'server_only',
    `In this game only the game's own server may call ${name}: with Authorization: Bearer <game secret>, and wallet`,
  );
}

/** @throws GantryError `role_insufficient` unless the operation allows the administrator's role */
export function requireRole({ name, roles }: AnyOperation, { actor, role }: Callers['admin']): void {
  const allowed: readonly AdminRole[] = roles ?? [];
  if (allowed.includes(role)) return;
  throw new GantryError(
    'role_insufficient',
    `${name} requires the role ${describeRoles(allowed)}, and ${actor} is ${role}: ask an owner`,
  );
}

/**
 * @throws GantryError `input_invalid` when the input has a field that is not supported, including nested query fields
 */
export function refuseNotServed(
  { unsupportedField }: AnyOperation,
  input: Readonly<Record<string, unknown>>,
): void {
  if (!unsupportedField) return;
  for (const [field, why] of Object.entries(unsupportedField)) {
    const sent = Object.keys(input).find((name) => name === field || name.startsWith(`${field}[`));
    if (sent === undefined || isEmpty(input[sent])) continue;
    throw invalidField(field, why);
  }
}

/** @throws GantryError 400, listing every invalid field; the first one determines the reason */
export function parseInput<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  const result = schema.safeParse(input, { reportInput: true, error: describeIssue });
  if (result.success) return result.data;
  const fields = result.error.issues.map(toFieldError);
  const [first] = result.error.issues;
  throw new GantryError(
    (first && reasonOf(schema, first)) ?? 'input_invalid',
    fields.map(({ path, message }) => (path ? `${path}: ${message}` : message)).join('; '),
    { fields },
  );
}

function toFieldError(issue: z.core.$ZodIssue): FieldError {
  const missing = issue.code === 'invalid_type' && issue.input === undefined;
  return { path: issue.path.map(String).join('.'), message: missing ? 'is required' : issue.message };
}

const known = new WeakMap<z.ZodObject, ReadonlySet<string>>();

/**
 * Removes nulls from optional fields that do not accept null, since clients in typed languages send null for omitted
 * fields. Nulls in other fields are kept.
 */
export function withoutNulls(
  schema: z.ZodObject,
  input: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  if (!hasNull(input)) return input;
  const optional = optionalFields(schema);
  return Object.fromEntries(
    Object.entries(input).filter(([name, value]) => value !== null || !optional.has(name)),
  );
}

function hasNull(input: Readonly<Record<string, unknown>>): boolean {
  for (const name in input) if (input[name] === null) return true;
  return false;
}

/** The fields that are optional and do not accept null. */
function optionalFields(schema: z.ZodObject): ReadonlySet<string> {
  const found = known.get(schema);
  if (found) return found;
  const fields = Object.entries(schema.shape as Record<string, z.ZodType>);
  const optional = new Set(
    fields
      .filter(([, field]) => field.safeParse(undefined).success && !field.safeParse(null).success)
      .map(([name]) => name),
  );
  known.set(schema, optional);
  return optional;
}
