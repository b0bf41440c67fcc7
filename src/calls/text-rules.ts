import type { Owner } from '../core/schemas/owner.ts';
import { type Seen, type SeenField, textFieldsOf } from '../core/schemas/seen-text.ts';
import { filteredMessage, refuseName, type WordFilterPolicy } from '../core/schemas/word-filter.ts';
import type { Store } from '../core/storage/store.ts';
import { type RunUnlessMuted, unlessMuted } from '../features/messages/mutes/run-unless-muted.ts';
import type { AnyOperation } from '../features/operation.ts';

type Handler = AnyOperation['handler'];
/** An object of a parsed input. */
type Holder = Record<string, unknown>;

/**
 * The operation with the rules for texts that other players see, in the fields declared as such: the word filter of the
 * caller's game, and mutes in that game. An operation without such fields is returned unchanged. Administrators'
 * operations are not filtered.
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
        if (wordFilter.words.length > 0) holder[key] = filtered(field, holder[key], wordFilter, path);
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
