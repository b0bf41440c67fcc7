import { expect } from 'vitest';
import type { Answer } from '../support/call-styles.ts';
import { type CanaryName, canaryNames, type World } from '../support/world.ts';
import type { Refusal } from './access.ts';

/** Feathers' names for the statuses of the refusals in the matrices (DESIGN.md "Errors"). */
const names: Readonly<Record<number, { name: string; className: string }>> = {
  400: { name: 'BadRequest', className: 'bad-request' },
  401: { name: 'NotAuthenticated', className: 'not-authenticated' },
  403: { name: 'Forbidden', className: 'forbidden' },
  404: { name: 'NotFound', className: 'not-found' },
  405: { name: 'MethodNotAllowed', className: 'method-not-allowed' },
};

/** The whole body of a refusal, to compare with. */
export function errorBody({ code, reason, endReason }: Refusal) {
  return {
    success: false,
    error: expect.any(String),
    message: expect.any(String),
    code,
    ...names[code],
    data: { reason, success: false, error: expect.any(String), ...(endReason && { endReason }) },
  };
}

/** The canaries in a response that the caller neither sent nor knew. */
export function leaked(
  { canaries }: World,
  sent: object,
  { text }: Answer,
  known: readonly CanaryName[] = [],
): CanaryName[] {
  const sentText = JSON.stringify(sent);
  return canaryNames.filter((name) => {
    if (known.includes(name) || sentText.includes(canaries[name])) return false;
    return text.includes(canaries[name]);
  });
}
