import { it } from 'vitest';
import type { Reason } from '../../src/errors.ts';
import type { Api } from './api.ts';
import { refused } from './outcome.ts';

/** A request's field, a value it must not have (`missing`: left out), and the reason that is answered. */
export type FieldFault = [field: string, value: unknown, reason: Reason];

/** Left out of the body, as JSON leaves `undefined` out. */
export const missing = undefined;

export const notStrings: readonly unknown[] = [7, true, null, ['text'], { text: 'text' }];

/** A list operation's `limit` and `skip` (DESIGN.md "Paging"). */
export const pagingFaults: readonly FieldFault[] = ['limit', 'skip'].flatMap((field) =>
  [-1, 1.5, 'ten', true, [5], { $gt: 1 }].map((value): FieldFault => [field, value, 'paging_invalid']),
);

/** One fault for each value. */
export function faults(field: string, values: readonly unknown[], reason: Reason): FieldFault[] {
  return values.map((value) => [field, value, reason]);
}

/** A required string: left out, or of another type. */
export function requiredString(field: string, reason: Reason = 'input_invalid'): FieldFault[] {
  return faults(field, [missing, ...notStrings], reason);
}

/** Registers a test for each fault: the body is fine but for that field, and the answer is a 400 naming it. */
export function itRefuses(
  api: Api,
  path: string,
  goodBody: () => Record<string, unknown>,
  list: readonly FieldFault[],
): void {
  it.each(list.map(([field, value, reason]) => ({ field, value, reason, shown: shown(value) })))(
    `${path} answers $reason to $field $shown`,
    async ({ field, value, reason }) => {
      refused(await api.post(path, { ...goodBody(), [field]: value }), 400, reason, field);
    },
  );
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? 'left out';
  return text.length > 40 ? `${text.slice(0, 30)}… (${text.length} characters)` : text;
}
