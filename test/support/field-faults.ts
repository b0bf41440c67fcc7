import { it } from 'vitest';
import type { Reason } from '../../src/core/errors.ts';
import type { Api } from './api.ts';
import { refused } from './outcome.ts';

/** A field of a request, an invalid value for it (`missing`: omitted), and the reason of the response. */
export type FieldFault = [field: string, value: unknown, reason: Reason];

/** Omitted from the body, because JSON omits `undefined`. */
export const missing = undefined;

export const notStrings: readonly unknown[] = [7, true, null, ['text'], { text: 'text' }];

/** A list operation's `limit` and `skip` (DESIGN.md "Paging"). */
export const pagingFaults: readonly FieldFault[] = ['limit', 'skip'].flatMap((field) =>
  [-1, 1.5, 'ten', true, [5], { $gt: 1 }].map((value): FieldFault => [field, value, 'paging_invalid']),
);

/** One fault per value. */
export function faults(field: string, values: readonly unknown[], reason: Reason): FieldFault[] {
  return values.map((value) => [field, value, reason]);
}

/** A required string: missing, or of another type. */
export function requiredString(field: string, reason: Reason = 'input_invalid'): FieldFault[] {
  return faults(field, [missing, ...notStrings], reason);
}

/** Registers one test per fault: the body is valid except for that field, and the response is a 400 that names it. */
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
