import type { z } from 'zod';
import { type FieldError, GantryError, invalidField } from '../core/errors.ts';
import { type AdminRole, describeRoles } from '../core/schemas/admin-role.ts';
import { describeIssue } from '../core/schemas/describe-issue.ts';
import { reasonOf } from '../core/schemas/field-reason.ts';
import { refuseHidden } from '../core/schemas/names.ts';
import type { Owner } from '../core/schemas/owner.ts';
import { type Seen, type SeenField, textFieldsOf } from '../core/schemas/seen-text.ts';
import { isEmpty } from '../core/schemas/unsupported-field.ts';
import { filteredMessage, refuseName, type WordFilterPolicy } from '../core/schemas/word-filter.ts';
import type { Store } from '../core/storage/store.ts';
import { type RunUnlessMuted, unlessMuted } from '../features/messages/mutes/run-unless-muted.ts';
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

type Handler = AnyOperation['handler'];
/** An object of a parsed input. */
type Holder = Record<string, unknown>;

/**
 * The operation with the rules for texts that other players see, in the fields declared as such: no hidden characters in
 * names, the word filter of the caller's game, and mutes in that game. An operation without such fields is returned
 * unchanged. Administrators' operations are not filtered.
 */
export function withTextRules(operation: AnyOperation, runUnlessMuted: RunUnlessMuted): AnyOperation {
  if (operation.auth === 'admin' || operation.kind === 'read') return operation;
  const { seen } = textFieldsOf(operation.input);
  const { otherForm } = operation;
  const seenInOther = otherForm ? textFieldsOf(otherForm.input).seen : [];
  if (seen.length === 0 && seenInOther.length === 0) return operation;
  return {
    ...operation,
    handler: withRules(operation.handler, seen, runUnlessMuted),
    ...(otherForm && {
      otherForm: { ...otherForm, handler: withRules(otherForm.handler, seenInOther, runUnlessMuted) },
    }),
  };
}

function withRules(handler: Handler, seen: readonly SeenField[], runUnlessMuted: RunUnlessMuted): Handler {
  return (request, services) => {
    const { input, caller } = request;
    if (caller === null || !('game' in caller))
      throw new Error('a text is filtered by the policies of a game');
    const { game } = caller;
    const wallet = 'wallet' in caller ? caller.wallet : 'wallet' in input ? input.wallet : undefined;
    const { wordFilter } = game.policies;
    let muted: string | undefined;
    for (const field of seen) {
      visit(input, field, (holder, key, path) => {
        const value = holder[key];
        if (field.as === 'name' && typeof value === 'string') refuseHidden(value, path);
        if (wordFilter.words.length > 0) holder[key] = filtered(field, value, wordFilter, path);
        if (field.mute === 'call') muted ??= path;
      });
    }
    if (muted === undefined) return handler(request, services);
    if (typeof wallet !== 'string') throw new Error(`${muted}: the call names no player`);
    if (!hasStore(services)) throw new Error('an operation with texts writes them');
    const owner: Owner = { gameId: game.id, wallet };
    return handler(request, { ...services, db: unlessMuted(services.db, runUnlessMuted, owner, muted) });
  };
}

function hasStore(services: object): services is { db: Store } {
  return 'db' in services;
}

/** Calls `onText` for each text in the field that others would see, with the object that has it and its path. */
function visit(
  input: object,
  { path, when }: SeenField,
  onText: (holder: Holder, key: string, path: string) => void,
): void {
  const enter = (value: unknown, at: number, prefix: string): void => {
    if (typeof value !== 'object' || value === null) return;
    const step = path[at] ?? '';
    if (step === '*') {
      for (const key of Object.keys(value)) enter((value as Holder)[key], at + 1, `${prefix}${key}.`);
      return;
    }
    const holder = value as Holder;
    if (at < path.length - 1) enter(holder[step], at + 1, `${prefix}${step}.`);
    else if (hasText(holder[step]) && when?.(holder) !== false) onText(holder, step, `${prefix}${step}`);
  };
  enter(input, 0, '');
}

function hasText(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.keys(value).length > 0;
  return typeof value === 'string' && value !== '';
}

/** The value as others may see it. @throws GantryError `words_not_allowed` */
function filtered({ as }: Seen, value: unknown, policy: WordFilterPolicy, path: string): unknown {
  if (as === 'data') return filteredData(value, policy, path);
  if (typeof value !== 'string') return value;
  if (as === 'text') return filteredMessage(policy, value, path);
  refuseName(policy, value, path);
  return value;
}

function filteredData(value: unknown, policy: WordFilterPolicy, path: string): unknown {
  if (typeof value === 'string') return filteredMessage(policy, value, path);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((element) => filteredData(element, policy, path));
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => {
      refuseName(policy, key, path);
      return [key, filteredData(one, policy, path)];
    }),
  );
}
